// The counts of `usage` are those of the texts: steady, in proportion, and the same in a stream (WIRE-32).
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { at, show } from '../../../../../harness/json-value.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { namesField } from '../../../../contract/capabilities.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import { type Case, type CaseContext, check } from '../../case.ts'
import { askedOf, isWholeAnswer, usageOf } from '../requests/asked.ts'
import { isSuccess, messagesOf, plainAnswer, steadyMembers } from '../requests/chat-calls.ts'
import { type Way, choicesIn, eitherWay, streamedAnswer } from '../streaming/streamed-answers.ts'
import { entriesMakeText, reportedTokens } from './logprobs.ts'

/** Whole words before spaces, at which no tokenizer joins two repetitions; 31 characters hide no usual rounding. */
const REPEATED = ' stone rivers under grey clouds'

/** The repetitions whose counts grow by steps, and further ones that are in line with them. */
const STEPS = [1, 2, 3, 4, 5, 6, 7, 8] as const
const FURTHER = [16, 64] as const

/** Two steps may differ by one token from the same number. */
const STEP_TOLERANCE = 2

const repeated = (times: number): string => `Say hello.${REPEATED.repeat(times)}`

const promptTokensOf = (exchange: Exchange): unknown => at(usageOf(exchange), 'prompt_tokens')

/** The plain answer to a text that is repeated, and its `prompt_tokens`. */
async function counted(t: CaseContext, times: number) {
  const exchange = await plainAnswer(t, {
    messages: messagesOf(repeated(times)),
    ...(await steadyMembers(t)),
  })
  const tokens = promptTokensOf(exchange)
  if (typeof tokens !== 'number') return t.notApplicable('the answer has no `usage.prompt_tokens`')
  return { exchange, times, tokens }
}

type Count = Awaited<ReturnType<typeof counted>>

/** Fails for this count, unless the same request is counted in another way now. */
async function blame(t: CaseContext, { exchange, times, tokens }: Count, expected: string) {
  if ((await counted(t, times)).tokens !== tokens)
    t.notApplicable('the same request has another count each time, which `wire.counts-steady` judges')
  const actual = `${tokens} for a text that is repeated ${times} times`
  t.assert(false, { expected, actual }, exchange)
}

async function inProportion(t: CaseContext): Promise<void> {
  const counts: Count[] = []
  for (const times of STEPS) counts.push(await counted(t, times))
  const steps = counts.slice(1).map(({ tokens }, place) => tokens - (counts[place]?.tokens ?? 0))
  const [least, most] = [Math.min(...steps), Math.max(...steps)]
  const [first, last] = [counts[0], counts.at(-1)]
  if (first === undefined || last === undefined) return
  const odd = counts[1 + steps.indexOf(least)] ?? last
  const numbers = counts.map(({ tokens }) => tokens).join(', ')
  if (least <= 0 || most - least > STEP_TOLERANCE)
    return blame(t, odd, `prompt_tokens that grow by the same number at each step, not ${numbers}`)
  const step = (last.tokens - first.tokens) / steps.length
  for (const times of FURTHER) {
    const further = await counted(t, times)
    const due = last.tokens + (times - last.times) * step
    // Each of the steps that are measured may be a part of a token too long or too short.
    const tolerance = 1 + (times - last.times) / steps.length
    if (Math.abs(further.tokens - due) > tolerance)
      return blame(
        t,
        further,
        `about ${Math.round(due)} prompt_tokens, in line with ${numbers} for 1 to 8 times`,
      )
    t.expect(further.exchange, () => undefined)
  }
}

/** The number of choices that every service takes if it takes `n` at all. */
const CHOICES = 2

/** The prompt is counted once, whatever `n` is, plain and streamed. */
async function onceOfChoices(t: CaseContext, { streamed }: Way): Promise<void> {
  await t.target.requireField('n')
  if (streamed) await t.target.requireField('stream_options')
  const times = 1
  const one = await counted(t, times)
  const options = streamed ? { stream: true, stream_options: { include_usage: true } } : {}
  const exchange = await t.chat({ messages: messagesOf(repeated(times)), n: CHOICES, ...options })
  if (exchange.response.status === 400 && namesField(exchange, 'n'))
    t.notApplicable('the target refuses several choices by name')
  if (!isSuccess(exchange)) t.inconclusive('two choices did not come, which WIRE-6 and STREAM-8 judge')
  const tokens = promptTokensOf(exchange)
  if (typeof tokens !== 'number')
    t.notApplicable('the answer has no `usage.prompt_tokens`, which WIRE-22 and STREAM-7 judge')
  if (tokens !== one.tokens && (await counted(t, times)).tokens !== one.tokens)
    t.notApplicable('the same request has another count each time, which `wire.counts-steady` judges')
  const mismatch = { expected: `prompt_tokens ${one.tokens}, as with one choice`, actual: String(tokens) }
  t.assert(tokens === one.tokens, mismatch, exchange)
}

export const countCases: readonly Case[] = [
  ...eitherWay('wire.counts-once-of-choices', 'WIRE-32', '`prompt_tokens` with one choice and with two').run(
    onceOfChoices,
  ),
  check('wire.counts-steady', 'WIRE-32', '`prompt_tokens` of the same request, twice').run(
    async (t: CaseContext) => {
      await t.target.requireDeterministic()
      const [first, second] = [await counted(t, 1), await counted(t, 1)]
      const mismatch = { expected: `prompt_tokens ${first.tokens} again`, actual: String(second.tokens) }
      t.assert(first.tokens === second.tokens, mismatch, second.exchange)
    },
  ),
  check(
    'wire.counts-in-proportion',
    'WIRE-32',
    '`prompt_tokens` of a text that is repeated 1 to 64 times',
  ).run(inProportion),
  check(
    'wire.counts-streamed',
    'WIRE-32',
    '`prompt_tokens` of a text that is repeated, streamed and plain',
  ).run(async (t: CaseContext) => {
    await t.target.requireField('stream_options')
    const times = 8
    const plain = await counted(t, times)
    const { exchange } = await streamedAnswer(t, {
      messages: messagesOf(repeated(times)),
      ...(await steadyMembers(t)),
      stream_options: { include_usage: true },
    })
    const tokens = promptTokensOf(exchange)
    if (tokens === undefined) t.inconclusive('the stream has no usage, which STREAM-7 judges')
    if (tokens !== plain.tokens && (await counted(t, times)).tokens !== plain.tokens)
      t.notApplicable('the same request has another count each time, which `wire.counts-steady` judges')
    const mismatch = {
      expected: `prompt_tokens ${plain.tokens}, as of the plain answer`,
      actual: show(tokens),
    }
    t.assert(tokens === plain.tokens, mismatch, exchange)
  }),
]

/**
 * An answer whose tokens all have entries: without thoughts, calls and text that a stop string removed. Entries that do not
 * make the text are judged by WIRE-19.
 */
function hasAllEntries(exchange: Exchange): boolean {
  const { logprobs, stop, tools, functions } = askedOf(exchange) ?? {}
  const others = [stop, tools, functions].every((value) => (value ?? null) === null)
  if (logprobs !== true || !others || !isWholeAnswer(exchange)) return false
  const usage = usageOf(exchange)
  const thoughts = Number(at(usage, 'completion_tokens_details', 'reasoning_tokens') ?? 0)
  const hasThoughts = /"reasoning(?:_content)?":\s*"[^"]/.test(
    new TextDecoder().decode(exchange.response.body),
  )
  const hasEntries = reportedTokens(exchange).every(({ lists }) =>
    lists.some(({ entries }) => entries?.length),
  )
  return (
    typeof at(usage, 'completion_tokens') === 'number' &&
    thoughts === 0 &&
    !hasThoughts &&
    hasEntries &&
    entriesMakeText(exchange) === undefined
  )
}

/** `completion_tokens` is the number of entries. The token that ends a text may be counted and has no entry. */
const asManyAsEntries: Verifier = (exchange) => {
  const entries = reportedTokens(exchange).flatMap(({ lists }) => lists.flatMap((list) => list.entries ?? []))
  const counted = Number(at(usageOf(exchange), 'completion_tokens'))
  const ends = choicesIn(exchange).filter(({ finishReason }) => finishReason !== 'length').length
  if (counted >= entries.length && counted <= entries.length + ends) return undefined
  const expected = `completion_tokens ${entries.length}, the number of entries of logprobs`
  return { expected, actual: String(counted) }
}

export const countObservers: readonly Observer[] = [
  observe('wire.every-counted-entry', 'WIRE-32', '`completion_tokens`, the entries of `logprobs`')
    .on(hasAllEntries)
    .verify(asManyAsEntries),
]
