// Streamed and plain agree: the same request to a deterministic model, answered in both ways (STREAM-6).
import fc from 'fast-check'
import { failureOf } from '../requests/asked.ts'
import { type Case, type CaseContext, check, checkEach } from '../../case.ts'
import { type StreamReading, readStream } from '../../../../../harness/http/event-stream.ts'
import { json } from '../../../../../harness/http/exchange.ts'
import { property } from '../../../../generate/property.ts'
import { choicesOf, contentOf } from '../../../../../harness/verify/verify-completion.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { at, isRecord, show } from '../../../../../harness/json-value.ts'
import { isSuccess, messagesOf, plainAnswer, steadyMembers, succeeded } from '../requests/chat-calls.ts'
import { hostileText } from '../../../../generate/hostile-text.ts'
import { thoughtsOf } from '../requests/markup.ts'
import { examplesFor, knownText, partOf } from '../requests/known-text.ts'
import type { Members } from '../../../../contract/capabilities.ts'
import {
  PLAIN_AGAIN,
  STREAM_PROMPT,
  ownStream,
  readAnswer,
  requestStream,
  streamedAnswer,
} from './streamed-answers.ts'

const COUNTS = ['prompt_tokens', 'completion_tokens', 'total_tokens'] as const

/**
 * Sends the same request plain and streamed. Inconclusive without a plain answer. A streamed request that fails beside
 * a plain one that works is a difference, unless every streamed request is refused, which STREAM-1 judges.
 */
export async function bothAnswers(t: CaseContext, members: Members = {}, streamedOnly: Members = {}) {
  const request = { messages: messagesOf(STREAM_PROMPT), ...(await steadyMembers(t)), ...members }
  const plain = json(await plainAnswer(t, request))
  const exchange = await requestStream(t, { ...request, ...streamedOnly })
  if (!isSuccess(exchange)) await streamedAnswer(t)
  t.expect(exchange, succeeded)
  const failure = failureOf(readStream(exchange))
  const expected = 'the answer that the plain request got'
  t.assert(failure === undefined, { expected, actual: `an error in the stream: ${show(failure)}` }, exchange)
  return { request, plain, ...readAnswer(t, exchange) }
}

function said(body: unknown): string {
  const choices = choicesOf(body).map((choice) => [
    at(choice, 'message', 'content'),
    at(choice, 'message', 'refusal'),
    at(choice, 'finish_reason'),
    thoughtsOf([at(choice, 'message')]),
  ])
  return JSON.stringify([choices, COUNTS.map((count) => at(body, 'usage', count))])
}

type BothAnswers = Awaited<ReturnType<typeof bothAnswers>>

/**
 * Compares the streamed answer with the plain one. If they differ, the plain request is repeated: a model may be
 * deterministic for one prompt and not for another.
 */
export async function expectSame(
  t: CaseContext,
  { request, plain, exchange }: BothAnswers,
  ...verifiers: readonly Verifier[]
): Promise<void> {
  const holds = (): boolean => verifiers.every((verifier) => verifier(exchange, t.target) === undefined)
  for (let again = 0; again < PLAIN_AGAIN && !holds(); again += 1)
    if (said(json(await plainAnswer(t, request))) !== said(plain))
      t.notApplicable('the plain answers to this request differ from each other')
  t.expect(exchange, ...verifiers)
}

/** Each streamed choice has the same value as the plain one. */
export function sameAs(
  what: string,
  ofPlain: (choice: unknown) => unknown,
  ofStreamed: (choice: StreamReading['choices'][number]) => unknown,
): (plain: unknown) => Verifier {
  return (plain) => (exchange) => {
    const { choices } = readStream(exchange)
    for (const [place, choice] of choicesOf(plain).entries()) {
      // A plain choice without an index, which WIRE-2 judges, is known by its place.
      const index = at(choice, 'index') ?? place
      const streamed = choices.find((candidate) => candidate.index === index)
      if (streamed === undefined) return { expected: `deltas of choice ${show(index)}`, actual: 'none' }
      const [wanted, got] = [ofPlain(choice), ofStreamed(streamed)]
      if (wanted !== got)
        return { expected: `${what} ${show(wanted)}, as in the plain answer`, actual: show(got) }
    }
    return undefined
  }
}

/** The text of the streamed choices is that of the plain ones. No text and empty text are the same. */
export const sameTextAs = sameAs(
  'text',
  (choice) => at(choice, 'message', 'content') ?? '',
  ({ content }) => content ?? '',
)

export const sameRefusalAs = sameAs(
  'refusal',
  (choice) => at(choice, 'message', 'refusal') ?? '',
  ({ refusal }) => refusal ?? '',
)

/** Each streamed choice ends for the same reason as the plain one. How often it says so is what STREAM-5 judges. */
export const sameFinishAs = sameAs(
  'finish_reason',
  (choice) => at(choice, 'finish_reason'),
  ({ finishReasons }) => finishReasons[0],
)

/** The three counts are those of the plain answer, where both give them. */
export function sameUsageAs(usage: unknown): Verifier {
  return (exchange) => {
    const streamed = readStream(exchange).usage
    const odd = COUNTS.find((name) => at(streamed, name) !== at(usage, name))
    if (odd === undefined) return undefined
    return {
      expected: `${odd} ${show(at(usage, odd))}, as in the plain answer`,
      actual: show(at(streamed, odd)),
    }
  }
}

/** No delta ends inside a character, or contains the replacement of a broken one. */
export function wholeCharacters(replaced: boolean): Verifier {
  return (exchange) => {
    const { wellFormed, choices } = readStream(exchange)
    if (!wellFormed) return { expected: 'a body in UTF-8', actual: 'bytes that are none' }
    const texts = choices.flatMap(({ deltas }) => deltas.map((delta) => at(delta, 'content')))
    const odd = texts.find(
      (text) => typeof text === 'string' && (!text.isWellFormed() || (replaced && text.includes('\uFFFD'))),
    )
    return odd === undefined ? undefined : { expected: 'whole characters in every delta', actual: show(odd) }
  }
}

/** Characters of a stop string that is taken from an answer: more than most tokens have. */
const STOP_CHARACTERS = 12

/** A part of a text, from its middle, as a stop string; undefined if the text is too short. */
function stopWithin(text: string): string | undefined {
  const characters = Array.from(text)
  const middle = Math.floor(characters.length / 2)
  const stop = characters
    .slice(middle, middle + STOP_CHARACTERS)
    .join('')
    .trim()
  return characters.length < 2 * STOP_CHARACTERS || stop === '' ? undefined : stop
}

const EMOJI_TEXT = '\u{1F600}\u{1F469}\u{1F3FD}\u200D\u{1F4BB} \u4E2D\u6587 \u00E9 \u{1D11E}'.repeat(4)

const parts = {
  text: ['the text', sameTextAs],
  finish: ['the finish reason', sameFinishAs],
  refusal: ['the refusal', sameRefusalAs],
} as const

export const parityCases: readonly Case[] = [
  ...checkEach('stream.same-*', 'STREAM-6', '*, streamed and plain', parts).run(async (t, sameAsPlain) => {
    await t.target.requireDeterministic()
    const both = await bothAnswers(t)
    await expectSame(t, both, sameAsPlain(both.plain))
  }),
  ...(['max_tokens', 'max_completion_tokens'] as const).map((limit) =>
    check(
      `stream.same-cut-by-${limit.replaceAll('_', '-')}`,
      'STREAM-6',
      `an answer that is cut by \`${limit}\`, streamed and plain`,
    ).run(async (t) => {
      await t.target.requireDeterministic()
      await t.target.requireField(limit)
      const both = await bothAnswers(t, { [limit]: 4 })
      await expectSame(t, both, sameTextAs(both.plain), sameFinishAs(both.plain))
    }),
  ),
  check('stream.same-echo', 'STREAM-6', 'the answer to any text, streamed and plain').run(async (t) => {
    await t.target.requireDeterministic()
    const runs = await examplesFor(t)
    const judge = async (text: string): Promise<void> => {
      const both = await bothAnswers(t, { messages: messagesOf(text) })
      await expectSame(t, both, sameTextAs(both.plain))
    }
    await property(t, hostileText(100), judge, { runs })
  }),
  check(
    'stream.same-stopped-echo',
    'STREAM-6',
    'an answer that is cut at any stop string, streamed and plain',
  ).run(async (t) => {
    await t.target.requireField('stop')
    const judge = async (request: Members): Promise<void> => {
      const both = await bothAnswers(t, request)
      await expectSame(t, both, sameTextAs(both.plain), sameFinishAs(both.plain))
    }
    if (await t.target.echoes()) {
      const unit = fc.constantFrom('a', 'b', '\u{1F600}')
      const word = (maxLength: number) => fc.string({ unit, minLength: 1, maxLength })
      const requests = fc.record({ messages: word(24).map(messagesOf), stop: word(4) })
      return property(t, requests, judge)
    }
    const { request, text } = await knownText(t, '')
    const runs = await examplesFor(t)
    await property(t, partOf(text), (stop) => judge({ ...request, stop }), { runs })
  }),
  check(
    'stream.same-stopped',
    'STREAM-6',
    'an answer that is cut at a stop string of several characters, streamed and plain',
  ).run(async (t) => {
    await t.target.requireDeterministic()
    await t.target.requireField('stop')
    const members = { messages: messagesOf(STREAM_PROMPT), ...(await steadyMembers(t)) }
    const stop = stopWithin(contentOf(await plainAnswer(t, members)) ?? '')
    if (stop === undefined) t.notApplicable('the answer is too short to be stopped within it')
    const both = await bothAnswers(t, { stop })
    await expectSame(t, both, sameTextAs(both.plain), sameFinishAs(both.plain))
  }),
  check('stream.same-usage', 'STREAM-6', 'the usage, streamed and plain').run(async (t) => {
    await t.target.requireDeterministic()
    await t.target.requireField('stream_options')
    const options = { stream_options: { include_usage: true } }
    const both = await bothAnswers(t, {}, options)
    const usage = at(both.plain, 'usage')
    if (!isRecord(usage) || !isRecord(both.stream.usage))
      t.notApplicable('usage is not given in both answers')
    await expectSame(t, both, sameUsageAs(usage))
  }),
  check('stream.whole-characters', 'STREAM-6', 'characters of several bytes, whole in every delta').run(
    async (t) => {
      const echoes = await t.target.echoes()
      const content = echoes ? EMOJI_TEXT : 'Answer with ten different emoji and nothing else.'
      const answer = await ownStream(t, { messages: messagesOf(content) })
      // U+FFFD in an echo is a broken character; of another model it may be what the model said.
      t.expect(answer.exchange, wholeCharacters(echoes))
    },
  ),
]
