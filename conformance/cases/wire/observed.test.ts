// What no case asks about is seen in whatever answer it stands: cut, of a later choice, of a stream, with calls, late.
import { describe, expect, it } from 'vitest'
import { at, isRecord } from '../../../harness/verify/json-value.ts'
import { type Case, type CaseContext, defineCase } from '../../runner/case.ts'
import { post } from '../requests/chat.ts'
import { type Fault, inChunks, inCompletion, isStream } from '../scripted/scripted-chat.fixture.ts'
import { judgeChat } from '../scripted/judge-scripted-chat.fixture.ts'
import { failed } from '../scripted/scripted-verdicts.fixture.ts'
import { streamObservers } from '../streaming/observed.ts'
import { answerObservers } from './observed.ts'

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

const traffic: Case = defineCase('test.traffic', 'CHAT-1', 'traffic', (t) => sendAll(t, members))

async function sendAll(t: CaseContext, bodies: readonly Json[]): Promise<void> {
  const messages = [{ role: 'user', content: 'a b c d' }]
  for (const more of bodies) await post(t, { model: t.target.model, messages, ...more })
  t.assert(true, { expected: '', actual: '' })
}

function inPart(record: Json, place: number, edit: (choice: Json) => Json): Json {
  const choices = [record['choices']].flat().map((choice) => Object(choice))
  return {
    ...record,
    choices: choices.map((choice: Json) => (choice['index'] === place ? edit(choice) : choice)),
  }
}

function without(json: Json, name: string): Json {
  return Object.fromEntries(Object.entries(json).filter(([member]) => member !== name))
}

function withUsage(record: Json, more: Json): Json {
  return isRecord(record['usage']) ? { ...record, usage: { ...record['usage'], ...more } } : record
}

const asText = (choice: Json): Json => ({ ...choice, message: { ...Object(choice['message']), content: 1 } })
const isCut = (record: Json): boolean => at(record, 'choices', 0, 'finish_reason') === 'length'
const atDelta = (choice: Json, more: Json): Json => ({
  ...choice,
  delta: { ...Object(choice['delta']), ...more },
})

const broken: Readonly<Record<string, readonly [fault: Fault, checks: readonly string[]]>> = {
  'no role in a later choice': [
    inCompletion((body) => inPart(body, 1, (choice) => ({ ...choice, message: { content: 'a' } }))),
    ['wire.every-choice'],
  ],
  'content that is a number in a later choice': [
    inCompletion((body) => inPart(body, 1, asText)),
    ['chat.every-content'],
  ],
  'no id where it was cut': [
    inCompletion((body) => (isCut(body) ? without(body, 'id') : body)),
    ['wire.every-completion'],
  ],
  'a count below 0 in the details': [
    inCompletion((body) => withUsage(body, { completion_tokens_details: { reasoning_tokens: -1 } })),
    ['wire.every-usage'],
  ],
  'a count in the details of a stream as a text': [
    inChunks((chunk) => [withUsage(chunk, { prompt_tokens_details: { cached_tokens: '1' } })]),
    ['wire.every-streamed-usage'],
  ],
  'no usage where it was cut': [
    inCompletion((body) => (isCut(body) ? without(body, 'usage') : body)),
    ['wire.every-usage-present'],
  ],
  'one choice fewer': [
    inCompletion((body) => ({ ...body, choices: [body['choices']].flat().slice(0, 1) })),
    ['wire.every-n'],
  ],
  'the id of another answer': [inCompletion((body) => ({ ...body, id: 'chatcmpl-1' })), ['wire.every-id']],
  'another model in the last chunk': [
    inChunks((chunk, place, last) => [place === last ? { ...chunk, model: 'other' } : chunk]),
    ['stream.every-head'],
  ],
  'a created that is a text': [inChunks((chunk) => [{ ...chunk, created: '1' }]), ['stream.every-head']],
  'the role of a later choice comes twice': [
    inChunks((chunk) => [inPart(chunk, 1, (choice) => atDelta(choice, { role: 'assistant' }))]),
    ['stream.every-role'],
  ],
  'an unknown reason where it was cut': [
    inChunks((chunk) => [
      isCut(chunk) ? inPart(chunk, 0, (choice) => ({ ...choice, finish_reason: 'cut' })) : chunk,
    ]),
    ['stream.every-finish-reason'],
  ],
  'no finish where it was cut': [inChunks((chunk) => (isCut(chunk) ? [] : [chunk])), ['stream.every-finish']],
  'the text of a delta of a later choice is a number': [
    inChunks((chunk) => [
      inPart(chunk, 1, (choice) =>
        at(choice, 'delta', 'content') === 'a' ? atDelta(choice, { content: 1 }) : choice,
      ),
    ]),
    ['stream.every-choice'],
  ],
  'the text of a delta is a list': [
    inChunks((chunk) => [
      inPart(chunk, 0, (choice) =>
        at(choice, 'delta', 'content') === 'a' ? atDelta(choice, { content: [] }) : choice,
      ),
    ]),
    ['stream.every-choice', 'stream.every-delta'],
  ],
  'the usage chunk comes first': [
    inChunks((chunk, place) =>
      at(chunk, 'usage') === null && place === 0
        ? [
            { ...chunk, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } },
            chunk,
          ]
        : [chunk],
    ),
    ['stream.every-usage-chunk'],
  ],
  'a usage chunk that nobody asked for': [
    inChunks((chunk, place, last) =>
      place === last && !('usage' in chunk)
        ? [
            chunk,
            { ...chunk, choices: [], usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } },
          ]
        : [chunk],
    ),
    ['stream.every-no-usage-chunk'],
  ],
  'an error that is null on a chunk': [
    inChunks((chunk) => [{ ...chunk, error: null }]),
    ['stream.every-event'],
  ],
  'a stream that is called JSON': [
    (call, right) => {
      const given = right(call)
      return isStream(given) ? { ...given, headers: { 'content-type': 'application/json' } } : given
    },
    ['stream.every-type'],
  ],
  'no [DONE]': [
    (call, right) => {
      const given = right(call)
      return { ...given, body: String(given.body).replace('data: [DONE]\n\n', '') }
    },
    ['stream.every-end'],
  ],
}

describe('observed', () => {
  it.each(Object.entries(broken))('sees: %s', async (_, [fault, checks]) => {
    const verdicts = await judgeChat(fault, [traffic], { observers })
    expect(failed(verdicts)).toEqual(checks)
  })

  it('nothing where a body is answered that no service has to serve', async () => {
    const bodies = [0, 1.5, -1, 129, 6.5].flatMap((n) => [{ n }, { n, stream: true }])
    const invalid: Case = { ...traffic, run: (t) => sendAll(t, bodies) }
    const any: Fault = (call, right) => right({ ...call, body: without(Object(call.body), 'n') })
    expect(failed(await judgeChat(any, [invalid], { observers }))).toEqual([])
  })

  it('not in the form of a stream that `n` is not heeded, which WIRE-6 judges', async () => {
    const deaf: Fault = (call, right) => right({ ...call, body: { ...Object(call.body), n: 1 } })
    expect(failed(await judgeChat(deaf, [traffic], { observers }))).toEqual(['wire.every-n'])
  })

  it('what the format allows', async () => {
    const odd = inCompletion((body) => ({
      ...withUsage(body, {
        prompt_tokens_details: null,
        completion_tokens_details: { audio_tokens: null, x: 'y' },
      }),
      extra: 1,
    }))
    expect(failed(await judgeChat(odd, [traffic], { observers }))).toEqual([])
  })
})
