// A field that a target does not support is refused by name, never ignored: each is sent, and either the 400 names it
// or its effect can be seen (WIRE-12). An unknown field is refused by name too (WIRE-23).
import type { Members } from '../../../../contract/capabilities.ts'
import { type Case, type CaseContext, check, type Variants, checkEach } from '../../case.ts'
import { readStream } from '../../../../../harness/http/event-stream.ts'
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { choicesOf } from '../../../../../harness/verify/verify-completion.ts'
import { status, type Verifier } from '../../../../../harness/verify/verify.ts'
import { at, isRecord, parseJson, show } from '../../../../../harness/json-value.ts'
import { LONG_PROMPT, PROMPT, isSuccess, messagesOf, named, post, validBody } from '../requests/chat-calls.ts'
import { LOOK_UP, requireFinished, strictObject } from '../tools/tool-requests.ts'
import { bothWays, readAnswer, requireOrdinary } from '../streaming/streamed-answers.ts'
import { requireNoMarkup } from '../requests/markup.ts'

/** A field in use, and what shows that it was not ignored. */
interface UsedField {
  /** A refusal must name one of these fields, other than `messages` and `stream`. */
  readonly members: Members
  /** The effect in words, what shows it in an answer, and whether it is there. */
  readonly effect: string
  read(choices: readonly unknown[], exchange: Exchange): unknown
  holds(value: unknown): boolean
  /** Set if an answer that was cut or refused shows nothing about the effect. */
  readonly atEnd?: true
  /** Whether one that was cut may be the beginning of the effect; where left out, any may. */
  begins?(value: unknown): boolean
}

/** A prompt that speaks of JSON, as a service may demand, and that no model answers in JSON by itself. */
const JSON_PROMPT =
  'Explain in one plain sentence of prose, without any markup, what the letters JSON stand for.'
const LETTERS = 'Say: a b c d e f g'

/**
 * The requested limit in tokens, and the bounds above which an answer was not cut: more tokens than an end adds, or
 * more characters.
 */
const FEW_TOKENS = 2
const MOST_COUNTED = 4
const LONGEST_CUT = 256

const schema = strictObject({ touchstone: { type: 'integer' } })

function tokenLimit(name: string): UsedField {
  return {
    members: { messages: messagesOf(LONG_PROMPT), [name]: FEW_TOKENS },
    effect: 'an answer that is cut',
    read: (choices, exchange) => ({
      content: textIn(choices) ?? '',
      completion_tokens: at(json(exchange), 'usage', 'completion_tokens'),
    }),
    holds(answer) {
      const content = String(at(answer, 'content'))
      const counted = at(answer, 'completion_tokens')
      const isCut = content !== LONG_PROMPT && content.length <= LONGEST_CUT
      return isCut && !(typeof counted === 'number' && counted > MOST_COUNTED)
    },
  }
}

function jsonFormat(format: object, holds: (value: unknown) => boolean): UsedField {
  return {
    members: { messages: messagesOf(JSON_PROMPT), response_format: format },
    effect: 'an answer in the asked format',
    read: textIn,
    holds: (content) => holds(parseJson(String(content))),
    atEnd: true,
    begins: (content) => typeof content !== 'string' || /^\s*(\{|$)/.test(content),
  }
}

const usedFields: Readonly<Record<string, UsedField>> = {
  n: {
    members: { n: 2 },
    effect: 'more than one choice',
    read: (choices) => choices.length,
    holds: (length) => length !== 1,
  },
  stop: {
    members: { messages: messagesOf(LETTERS), stop: ['d'] },
    effect: 'an end at "d"',
    read: (choices) => textIn(choices) ?? '',
    // That the stop string itself is not returned is for WIRE-8.
    holds: (content) => !/d.*[efg]/s.test(String(content)),
  },
  'max-tokens': tokenLimit('max_tokens'),
  'max-completion-tokens': tokenLimit('max_completion_tokens'),
  'json-object': jsonFormat({ type: 'json_object' }, isRecord),
  'json-schema': jsonFormat(
    { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
    (value) => Number.isInteger(at(value, 'touchstone')),
  ),
  tools: {
    members: { tools: [LOOK_UP], tool_choice: 'required' },
    effect: 'a call, which was required',
    read: ([first]) => at(first, 'message', 'tool_calls'),
    holds: (calls) => Array.isArray(calls) && calls.length > 0,
    atEnd: true,
  },
  functions: {
    members: { functions: [LOOK_UP.function], function_call: { name: LOOK_UP.function.name } },
    effect: 'a call of the function, which was required',
    read: ([first]) => at(first, 'message', 'function_call'),
    holds: isRecord,
    atEnd: true,
  },
  logprobs: {
    members: { logprobs: true },
    effect: 'logprobs, an object',
    read: ([first]) => at(first, 'logprobs'),
    holds: isRecord,
  },
  'stream-options': {
    members: { stream: true, stream_options: { include_usage: true } },
    effect: 'a chunk with usage',
    read: (_, exchange) => readStream(exchange).chunks,
    holds: (chunks) => Array.isArray(chunks) && chunks.some((chunk) => isRecord(at(chunk, 'usage'))),
  },
}

/** The choices of an answer, plain or folded from a stream. */
function choicesIn(exchange: Exchange, streamed: boolean): readonly unknown[] {
  if (!streamed) return choicesOf(json(exchange))
  const { chunks, choices } = readStream(exchange)
  const pieces = chunks.flatMap(choicesOf)
  const reported = pieces.map((choice) => at(choice, 'logprobs'))
  // Fragments that make no call, as those without an index, are for TOOL-5: nothing was ignored.
  const fragments = pieces.flatMap((choice) => at(choice, 'delta', 'tool_calls') ?? [])
  const functionCall = pieces.map((choice) => at(choice, 'delta', 'function_call')).find(isRecord)
  // Each choice has an end; STREAM-8 judges that choices can be distinguished.
  const ends = pieces.filter((choice) => typeof at(choice, 'finish_reason') === 'string').length
  return Array.from({ length: Math.max(choices.length, ends) }, (_, place) => ({
    message: { content: choices[place]?.content, tool_calls: fragments, function_call: functionCall },
    logprobs: reported.find(isRecord),
  }))
}

function textIn([first]: readonly unknown[]): unknown {
  return at(first, 'message', 'content')
}

async function refusedOrSeen(t: CaseContext, used: UsedField, streamed: boolean): Promise<void> {
  // An effect at the end of an answer needs a whole answer.
  const bound = used.atEnd === true ? await t.target.brief(2 * t.target.plan().wholeTokens) : {}
  const stream = streamed ? { stream: true } : {}
  const exchange = await t.chat({ messages: messagesOf(PROMPT), ...bound, ...used.members, ...stream })
  if (isSuccess(exchange)) {
    if (streamed) readAnswer(t, exchange)
    const value = used.read(choicesIn(exchange, streamed), exchange)
    const seen = used.holds(value)
    const mayCome = used.atEnd === true && (used.begins?.(value) ?? true)
    if (!seen && mayCome) requireFinished(t, exchange)
    if (!seen) requireNoMarkup(t, exchange)
    return t.expect(exchange, () => (seen ? undefined : { expected: used.effect, actual: show(value) }))
  }
  await requireOrdinary(t, streamed)
  const fields = Object.keys(used.members)
  t.expect(exchange, status(400), named(fields.filter((field) => !['messages', 'stream'].includes(field))))
}

/** Media that cannot be read: a target that reads media refuses them, one that ignores media answers. */
const unreadable = Buffer.from('neither an image nor a sound nor a file').toString('base64')

const mediaParts: Variants<[type: string, media: object]> = {
  'image-part': ['an image', 'image_url', { url: `data:image/png;base64,${unreadable}` }],
  'audio-part': ['a sound', 'input_audio', { data: unreadable, format: 'wav' }],
  'file-part': [
    'a file',
    'file',
    { filename: 'a.pdf', file_data: `data:application/pdf;base64,${unreadable}` },
  ],
}

/** The refusal speaks of the part, of its kind, or of the content that holds it. */
export function namedPart(type: string): Verifier {
  return (exchange, target) => {
    const message = at(json(exchange), 'error', 'message')
    if (typeof message === 'string' && /image|audio|file|media|modal/i.test(message)) return undefined
    return named([type])(exchange, target)
  }
}

export const unsupportedCases: readonly Case[] = [
  ...Object.entries(usedFields).flatMap(([slug, used]) => {
    // A field of streams alone has one case, and no more to its name.
    const ways = 'stream' in used.members ? [{ slug: '', title: '', streamed: true }] : bothWays
    return ways.map((way) =>
      check(
        `wire.${slug}-not-ignored${way.slug}`,
        'WIRE-12',
        `\`${slug.replaceAll('-', '_')}\`: refused by name, or seen in the answer${way.title}`,
      ).run((t) => refusedOrSeen(t, used, way.streamed)),
    )
  }),
  ...checkEach('wire.*-not-ignored', 'WIRE-12', '* that cannot be read is refused', mediaParts).run(
    async (t, type, media) => {
      const text = { type: 'text', text: PROMPT }
      const exchange = await t.chat({ messages: messagesOf([text, { type, [type]: media }]) })
      t.expect(exchange, status(400), namedPart(type))
    },
  ),
  check('wire.unknown-field', 'WIRE-23', 'a field that the format does not know').run(async (t) => {
    const exchange = await post(t, { ...validBody(t), touchstone_unknown: true })
    t.expect(exchange, status(400), named(['touchstone_unknown']))
  }),
]
