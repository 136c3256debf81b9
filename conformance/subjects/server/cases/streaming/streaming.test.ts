// Streams: which faults the cases find, and what they leave alone.
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { bodyOfCall, isChat, promptOf, withKey } from '../../../../../fixtures/faulty/calls.ts'
import { editAnswer, editPrompt } from '../../../../../fixtures/faulty/edits.ts'
import {
  type Answer,
  readBody,
  withBody,
  withHeader,
  withStream,
} from '../../../../../fixtures/faulty/call-and-answer.ts'
import { isStream } from '../../../../../fixtures/faulty/kinds-of-answers.ts'
import { failed, judgeFault, outcomeOf, redRows } from '../scripted/judge-fault.fixture.ts'
import type { Start } from '../scripted/start-service.fixture.ts'
import { STREAM_PROMPT } from './streamed-answers.ts'
import { cases, observers } from './streaming.ts'

const section = { cases, observers }

it.each([
  ['stream.as-produced', 'odd-proxy', 'not-applicable', 'the model answers at once'],
  ['stream.abandoned', 'odd-proxy', 'not-applicable', 'the model answers at once'],
  ['stream.abandoned', 'odd-slow-model', 'inconclusive', 'do not hold another request up'],
] as const)('%s at %s is %s', async (check, id, outcome, reason) => {
  const verdicts = await judgeFault(
    id,
    cases.filter((one) => one.id === check),
  )
  expect(verdicts).toMatchObject([{ outcome, reason: expect.stringContaining(reason) }])
})

it('judges the rest of a stream whose plain answer lacks the index of its choices', async () => {
  const id = 'derived-completion-choices-index-dropped-always'
  expect(failed(await judgeFault(id, cases, section))).toEqual([])
})

/** Ends the body of each stream in another way, after all of its records. */
const endings: Readonly<Record<string, (answer: Answer) => Promise<Answer> | Answer>> = {
  'has no last chunk': (answer) => withStream(answer, thenBreaks(answer.body)),
  'is longer by its Content-Length, and the connection breaks': async (answer) => {
    const body = await readBody(answer.body)
    const announced = withHeader(withBody(answer, body), 'content-length', String(body.length + 1))
    return { ...announced, body: thenBreaks(announced.body) }
  },
  'is longer by its Content-Length, and the connection stays open': async (answer) => {
    const body = await readBody(answer.body)
    return withHeader(withBody(answer, body), 'content-length', String(body.length + 1))
  },
}

async function* thenBreaks(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* body
  // The bytes leave before the connection breaks.
  await setImmediate()
  throw new Error('the connection breaks')
}

it.each(Object.keys(endings))('blames STREAM-2 for a stream that %s', async (ending) => {
  const start: Start = () => editAnswer(isStream, (answer) => endings[ending]?.(answer) ?? answer)
  const some = cases.filter(({ id }) =>
    ['stream.status-and-type', 'stream.done-once', 'stream.chunk-object', 'stream.same-text'].includes(id),
  )
  const verdicts = await judgeFault(start, some, { observers, runs: 2, timeoutMs: 30_000 })
  const isOpen = ending.endsWith('open')
  expect(redRows(verdicts)).toEqual(isOpen ? ['STREAM-2'] : ['STREAM-1', 'STREAM-2'])
  const { reason } = verdicts.find(({ id }) => id === 'stream.done-once') ?? {}
  expect(reason).toMatch(isOpen ? /it stays open/ : /the connection broke/)
  expect(outcomeOf(verdicts, 'stream.chunk-object')).toBe(isOpen ? 'pass' : 'inconclusive')
})

it('accepts one error record as the end of a stream that fails', async () => {
  const verdicts = await judgeFault('stream-fails-every-time', cases, { ...section, runs: 3 })
  expect(outcomeOf(verdicts, 'stream.error-record')).toBe('pass')
})

it('accepts a service without keys in profile wire', async () => {
  const open: Start =
    ({ key }) =>
    (call, forward) =>
      forward(withKey(call, key))
  const verdicts = await judgeFault(open, cases, { ...section, profile: 'wire', runs: 3 })
  expect(failed(verdicts)).toEqual([])
  expect(outcomeOf(verdicts, 'stream.error-401-wrong-key')).toBe('not-applicable')
})

it('does not compare texts for a prompt to which the model answers differently each time', async () => {
  const vary: Start = () => {
    let answers = 0
    const varied = editPrompt((text) => (text === STREAM_PROMPT ? `${text} ${answers++}` : text))
    return (call, forward) =>
      isChat(call) && promptOf(bodyOfCall(call)) === STREAM_PROMPT && bodyOfCall(call)?.['n'] === undefined
        ? varied(call, forward)
        : forward(call)
  }
  const verdicts = await judgeFault(vary, cases, { ...section, runs: 3 })
  expect(failed(verdicts)).toEqual([])
  expect(outcomeOf(verdicts, 'stream.same-text')).toBe('not-applicable')
})
