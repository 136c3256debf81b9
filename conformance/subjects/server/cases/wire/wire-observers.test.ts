// Observers find faults in every answer, wherever they occur: cut, of a later choice, of a stream, with calls, late.
import { expect, it } from 'vitest'
import { bodyOfCall } from '../../../../../fixtures/faulty/calls.ts'
import { chain, editCompletion, editRequest } from '../../../../../fixtures/faulty/edits.ts'
import { asNumber, without } from '../../../../../fixtures/faulty/json-types.ts'
import { madeExchange } from '../../../../../harness/exchange.fixture.ts'
import { watch } from '../../../../contract/observer.ts'
import { madeTarget } from '../../../../facts/target.fixture.ts'
import { type Case, type CaseContext, check } from '../../case.ts'
import { post } from '../requests/chat-calls.ts'
import { failed, judgeFault } from '../scripted/judge-fault.fixture.ts'
import { streamObservers } from '../streaming/stream-observers.ts'
import { answerObservers } from './wire-observers.ts'

type Json = Readonly<Record<string, unknown>>

const observers = [...answerObservers, ...streamObservers]

/** Traffic of every kind, of which nothing is asserted. */
const members: readonly Json[] = [
  {},
  { max_tokens: 2 },
  { n: 2 },
  { stop: 'b' },
  { stream: true },
  { stream: true, max_tokens: 2 },
  { stream: true, n: 2 },
  { stream: true, stream_options: { include_usage: true } },
]

const traffic: Case = check('test.traffic', 'CHAT-1', 'traffic').run((t) => sendAll(t, members))

async function sendAll(t: CaseContext, bodies: readonly Json[]): Promise<void> {
  const messages = [{ role: 'user', content: 'a b c d' }]
  for (const more of bodies) await post(t, { model: t.target.model, messages, ...more })
  t.assert(true, { expected: '', actual: '' })
}

it('judges no answer to a body that no service has to serve', async () => {
  const bodies = [0, 1.5, -1, 129, 6.5].flatMap((n) => [{ n }, { n, stream: true }])
  const invalid: Case = { ...traffic, run: (t) => sendAll(t, bodies) }
  const any = editRequest((body) => without(body, 'n'))
  const broken = editCompletion((body, call) =>
    bodyOfCall(call)?.['n'] === undefined ? body : { ...body, object: 'list', usage: { total_tokens: -1 } },
  )
  expect(failed(await judgeFault(() => chain(broken, any), [invalid], { observers }))).toEqual([])
})

it('leaves a stream with too few choices to WIRE-6', async () => {
  const deaf = () => editRequest((body) => (asNumber(body['n']) > 1 ? { ...body, n: 1 } : undefined))
  expect(failed(await judgeFault(deaf, [traffic], { observers }))).toEqual(['wire.every-n', 'stream.every-n'])
})

it.each([
  [['content-length', '2'], 'pass'],
  [['transfer-encoding', 'chunked'], 'pass'],
  [['transfer-encoding', 'chunked', 'transfer-encoding', 'chunked'], 'fail'],
  [['content-length', '2', 'content-length', '3'], 'fail'],
  [['content-length', '2', 'transfer-encoding', 'chunked'], 'fail'],
] as const)('judges the framing %j of a plain answer', (names, outcome) => {
  const headers = names.flatMap((name, place) =>
    place % 2 === 0 ? [[name, names[place + 1] ?? ''] as const] : [],
  )
  const watching = watch(observers, madeTarget, { strict: false })
  const requestBody = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'a' }] })
  const path = '/v1/chat/completions'
  watching.see(madeExchange({ method: 'POST', path, requestBody, headers, body: '{}' }))
  expect(watching.results().find(({ id }) => id === 'chat.every-framing')?.outcome).toBe(outcome)
})
