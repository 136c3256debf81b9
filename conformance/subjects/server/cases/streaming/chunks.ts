// The chunks of a stream: one head, the role first, the finish last, every choice whole (STREAM-3, 4, 5 and 8).
import type { RequirementId } from '../../../../../spec/catalogue/requirements.ts'
import { type Case, type Variants, check } from '../../case.ts'
import { readStream } from '../../../../../harness/http/event-stream.ts'
import { FINISH_REASONS, choicesOf } from '../../../../../harness/verify/verify-completion.ts'
import { json } from '../../../../../harness/http/exchange.ts'
import type { Mismatch, Verifier } from '../../../../../harness/verify/verify.ts'
import { at, show } from '../../../../../harness/json-value.ts'
import { PROMPT, messagesOf } from '../requests/chat-calls.ts'
import {
  type ChunkChoice,
  STREAM_PROMPT,
  entriesByChoice,
  ownStream,
  streamedAnswer,
} from './streamed-answers.ts'

export const chunkObject: Verifier = (exchange) => {
  const objects = readStream(exchange).chunks.map((chunk) => at(chunk, 'object'))
  const odd = objects.findIndex((value) => value !== 'chat.completion.chunk')
  if (odd === -1) return undefined
  return {
    expected: 'object "chat.completion.chunk" on every chunk',
    actual: `${show(objects[odd])} on chunk ${odd}`,
  }
}

export function sameOnEveryChunk(member: 'id' | 'created' | 'model'): Verifier {
  return (exchange) => {
    const values = readStream(exchange).chunks.map((chunk) => at(chunk, member))
    const odd = values.findIndex((value) => value === undefined || value === null || value !== values[0])
    if (odd === -1) return undefined
    const expected = `${member}, the same on every chunk`
    return { expected, actual: odd === 0 ? show(values[0]) : `${show(values[0])}, then ${show(values[odd])}` }
  }
}

/** Every choice follows one rule. */
function eachChoice(rule: (entries: readonly unknown[], index: unknown) => Mismatch | undefined): Verifier {
  return (exchange) => {
    for (const [index, entries] of entriesByChoice(readStream(exchange))) {
      const mismatch = rule(
        entries.map(({ choice }: ChunkChoice) => choice),
        index,
      )
      if (mismatch !== undefined) return mismatch
    }
    return undefined
  }
}

export const roleFirst: Verifier = eachChoice((entries, index) => {
  const role = at(entries[0], 'delta', 'role')
  if (role === 'assistant') return undefined
  return { expected: `role "assistant" on the first delta of choice ${show(index)}`, actual: show(role) }
})

/** No delta but the first has a role. Null says as little as leaving it out. */
export const roleOnce: Verifier = eachChoice((entries, index) => {
  const later = entries.slice(1).find((entry) => (at(entry, 'delta', 'role') ?? null) !== null)
  if (later === undefined) return undefined
  return { expected: `no role on a later delta of choice ${show(index)}`, actual: show(at(later, 'delta')) }
})

export const finishOnce: Verifier = eachChoice((entries, index) => {
  const reasons = entries
    .map((entry) => at(entry, 'finish_reason'))
    .filter((reason) => (reason ?? null) !== null)
  if (reasons.length === 1) return undefined
  return { expected: `one finish_reason for choice ${show(index)}`, actual: show(reasons) }
})

export const finishReasonKnown: Verifier = eachChoice((entries) => {
  const odd = entries
    .map((entry) => at(entry, 'finish_reason') ?? null)
    .find((reason) => reason !== null && !FINISH_REASONS.includes(reason))
  return odd === undefined
    ? undefined
    : { expected: 'a finish_reason of the format, or null', actual: show(odd) }
})

export const nothingAfterFinish: Verifier = eachChoice((entries, index) => {
  const finish = entries.findIndex((entry) => (at(entry, 'finish_reason') ?? null) !== null)
  if (finish === -1 || finish === entries.length - 1) return undefined
  const expected = `no delta of choice ${show(index)} behind its finish_reason`
  return { expected, actual: show(entries[finish + 1]) }
})

export function everyChoiceComplete(n: number): Verifier {
  return (exchange) => {
    const { choices } = readStream(exchange)
    const entries = entriesByChoice(readStream(exchange))
    const odd = [...entries.keys()].find((index) => typeof index !== 'number' || index < 0 || index >= n)
    if (odd !== undefined) return { expected: `an index of 0 to ${n - 1}`, actual: show(odd) }
    const finished = choices.filter(({ finishReasons }) => finishReasons.length > 0).map(({ index }) => index)
    if (finished.length === n) return undefined
    return {
      expected: `${n} choices, each with its finish`,
      actual: `a finish for choices ${show(finished)}`,
    }
  }
}

function textOfEachChoice(wanted: string): Verifier {
  return (exchange) => {
    const odd = readStream(exchange).choices.find(({ content }) => content !== wanted)
    if (odd === undefined) return undefined
    return { expected: `the text ${show(wanted)} of choice ${odd.index}`, actual: show(odd.content) }
  }
}

/** Rules for each choice of a stream with one or more choices. */
const choiceRules: Variants<[requirement: RequirementId, verifier: Verifier]> = {
  'role-first': ['the role on the first delta', 'STREAM-4', roleFirst],
  'role-once': ['no role on a later delta', 'STREAM-4', roleOnce],
  'finish-once': ['one `finish_reason`', 'STREAM-5', finishOnce],
  'nothing-after-finish': ['no delta behind the `finish_reason`', 'STREAM-5', nothingAfterFinish],
}

const rules: typeof choiceRules = {
  'chunk-object': ['`object` of every chunk', 'STREAM-3', chunkObject],
  'same-id': ['one `id` on all chunks', 'STREAM-3', sameOnEveryChunk('id')],
  'same-created': ['one `created` on all chunks', 'STREAM-3', sameOnEveryChunk('created')],
  'same-model': ['one `model` on all chunks', 'STREAM-3', sameOnEveryChunk('model')],
  'finish-reason-known': ['a `finish_reason` of the closed set', 'STREAM-5', finishReasonKnown],
  ...choiceRules,
}

export const chunkCases: readonly Case[] = [
  ...Object.entries(rules).map(([slug, [title, requirement, verifier]]) =>
    check(`stream.${slug}`, requirement, title).run(async (t) =>
      t.expect((await streamedAnswer(t)).exchange, verifier),
    ),
  ),
  check('stream.same-head-with-usage', 'STREAM-3', 'the usage chunk has the head of the others').run(
    async (t) => {
      await t.target.requireField('stream_options')
      const { exchange } = await streamedAnswer(t, { stream_options: { include_usage: true } })
      t.expect(exchange, chunkObject, ...(['id', 'created', 'model'] as const).map(sameOnEveryChunk))
    },
  ),
  ...Object.entries(choiceRules).map(([slug, [title, requirement, verifier]]) =>
    check(`stream.${slug}-of-two`, requirement, `${title}, of each of two choices`).run(async (t) => {
      await t.target.requireField('n')
      const { exchange, stream } = await streamedAnswer(t, { n: 2 })
      const indexes = [...entriesByChoice(stream).keys()]
      if (!(indexes.includes(0) && indexes.includes(1)))
        t.notApplicable(`the deltas carry the indexes ${show(indexes)}, which STREAM-8 judges`)
      t.expect(exchange, verifier)
    }),
  ),
  check('stream.every-choice-complete', 'STREAM-8', 'two choices, each with its index and its finish').run(
    async (t) => {
      await t.target.requireField('n')
      // A target that gives one choice instead of two breaks WIRE-6, streamed or not.
      const plain = await t.chat({ messages: messagesOf(PROMPT), n: 2 })
      if (choicesOf(json(plain)).length !== 2)
        t.notApplicable('the plain answer has no two choices, which WIRE-6 judges')
      const { exchange } = await ownStream(t, { n: 2 })
      t.expect(exchange, everyChoiceComplete(2))
    },
  ),
  check(
    'stream.every-choice-text',
    'STREAM-8',
    'the whole text of each of two choices, of a model that echoes',
  ).run(async (t) => {
    await t.target.requireField('n')
    await t.target.requireEcho()
    const { exchange, stream } = await ownStream(t, { n: 2 })
    if (everyChoiceComplete(2)(exchange, t.target) !== undefined)
      t.notApplicable('the choices are not complete, which `stream.every-choice-complete` judges')
    if (stream.choices[0]?.content !== STREAM_PROMPT)
      t.notApplicable('the first choice has another text, which STREAM-6 judges')
    t.expect(exchange, textOfEachChoice(STREAM_PROMPT))
  }),
]
