// The uses of a client library as data: what the program is asked to send, and what shows that the use came about.
import { randomBytes } from 'node:crypto'
import {
  type Members,
  ROLE,
  answer,
  chunksWith,
  recordsOf,
  refuse,
  streamReply,
} from '../../../harness/scripted-service/scripted-answers.ts'
import type { Asked, Reply, Step } from '../../../harness/scripted-service/scripted-reply.ts'
import { at, isRecord, parseJson } from '../../../harness/json-value.ts'
import type { UseId } from '../results/pair-entry.ts'
import type { SentAnswer } from './sent-answer.ts'

/** The longest text of a prompt, in characters. An environment variable, which carries it, holds at most 128 KiB. */
const LONG_CHARS = 20_000
const TOO_LONG_CHARS = 120_000

/** The requests that a program sends side by side. */
const AT_ONCE = 10

/** The end of a use: an answer, a failure that the program reports, or a connection that it closes when it is stopped. */
type Ending = 'answer' | 'failure' | 'stopped'

export interface Use {
  readonly ends: Ending
  /** The members of the request beside its model. */
  readonly request: Members
  /** How the conversation goes on. */
  readonly turns?: readonly unknown[]
  /** The number of requests that the program sends side by side. Default: 1. */
  readonly times?: number
  /** The part of the request that makes the server refuse it. */
  readonly wrong?: 'model' | 'key'
  /** Answers of the proxy in place of the server's: always, or if the server takes what it should refuse. */
  readonly script?: { readonly when: 'always' | 'accepted'; readonly steps: readonly Step[] }
  /** Words of a refusal that names the feature: then the server does not offer it. */
  readonly feature?: RegExp
  /** Words of a refusal that names a limit of the model: then the use was not tried. */
  readonly limit?: RegExp
  /** The reason why these answers do not show the use, although the server did nothing wrong: the model decides. */
  readonly missing?: (answers: readonly SentAnswer[]) => string | undefined
  /** Members of the request that leave the model no choice. */
  readonly forced?: Members
  /** The reason why the content of an answer is not the requested one; then the server is at fault. */
  readonly content?: (answer: SentAnswer) => string | undefined
}

/** A new text each time, so that no answer comes from a cache. */
const once = (): string => randomBytes(4).toString('hex')

const user = (content: unknown): Members => ({ messages: [{ role: 'user', content }] })
const say = (words: string): Members => user(`Say in one short sentence: ${words} ${once()}.`)

const LOOK_UP = {
  type: 'function',
  function: {
    name: 'look_up',
    description: 'Returns the value of a key.',
    parameters: {
      type: 'object',
      properties: { key: { type: 'string' } },
      required: ['key'],
      additionalProperties: false,
    },
  },
} as const

/** A request for calls. The lines behind the words order them from the echo model. */
const calling = (...keys: readonly string[]): Members => ({
  ...user(
    [
      `Look up ${keys.map((key) => `the key "${key}"`).join(' and ')}, each by its own call of the tool look_up, at once.`,
      ...keys.map((key) => `#call look_up {"key":"${key}"}`),
    ].join('\n'),
  ),
  tools: [LOOK_UP],
})

const FORCED = { tool_choice: 'required' } as const

const calls =
  (least: number) =>
  ([first]: readonly SentAnswer[]): string | undefined =>
    (first?.calls.length ?? 0) >= least
      ? undefined
      : `The model made ${first?.calls.length ?? 0} of ${least} calls.`

const reasons = ([first]: readonly SentAnswer[]): string | undefined =>
  (first?.reasoning ?? '') === '' ? 'The server sent no reasoning.' : undefined

const CITY = {
  type: 'object',
  properties: { city: { type: 'string' }, population: { type: 'integer' } },
  required: ['city', 'population'],
  additionalProperties: false,
} as const

const isObject = ({ content }: SentAnswer): string | undefined =>
  isRecord(parseJson(content)) ? undefined : 'The content is not a JSON object.'

const isCity = (sent: SentAnswer): string | undefined => {
  const value = parseJson(sent.content)
  const holds =
    isRecord(value) &&
    Object.keys(value).length === 2 &&
    typeof at(value, 'city') === 'string' &&
    Number.isInteger(at(value, 'population'))
  return holds ? undefined : 'The content does not match the schema.'
}

/** A red square of 8 × 8 points. */
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC'

const UNICODE = 'Grüße, 東京, 🏳️‍🌈, נכון, e\u0301, "quotes", back\\slash,\nnew line'

/** A stream that ends only when the client closes the connection. */
function endless(asked: Asked): Reply {
  return streamReply(recordsOf(chunksWith(asked, [ROLE, { content: 'and on ' }])).slice(0, -2), 'endless')
}

const refusal = (status: number, message: string, code: string) => ({
  when: 'accepted' as const,
  steps: [refuse(status, {}, message, { code })],
})

/** A function for each use, because the words of its request differ from run to run. */
const TABLE: Readonly<Record<UseId, () => Use>> = {
  plain: () => ({ ends: 'answer', request: say('good morning') }),
  stream: () => ({ ends: 'answer', request: { ...say('good morning, and good luck'), stream: true } }),
  'stream-usage': () => ({
    ends: 'answer',
    request: { ...say('good evening'), stream: true, stream_options: { include_usage: true } },
    feature: /stream_options|usage/i,
  }),
  abort: () => ({
    ends: 'stopped',
    request: { ...say('a word without end'), stream: true },
    script: { when: 'always', steps: [endless] },
  }),
  call: () => ({
    ends: 'answer',
    request: calling('a'),
    feature: /tool|function/i,
    missing: calls(1),
    forced: FORCED,
  }),
  'parallel-calls': () => ({
    ends: 'answer',
    request: calling('a', 'b'),
    feature: /tool|function/i,
    missing: calls(2),
    forced: FORCED,
  }),
  'streamed-call': () => ({
    ends: 'answer',
    request: { ...calling('a'), stream: true },
    feature: /tool|function/i,
    missing: calls(1),
    forced: FORCED,
  }),
  conversation: () => ({
    ends: 'answer',
    request: calling('a'),
    turns: [{ look_up: `The value is ${once()}.` }],
    feature: /tool|function/i,
    missing: calls(1),
    forced: FORCED,
  }),
  reasoning: () => ({ ends: 'answer', request: say('good night, after some thought'), missing: reasons }),
  'reasoning-sent-back': () => ({
    ends: 'answer',
    request: say('good night, after a long thought'),
    turns: [`Say it once more: ${once()}.`],
    missing: reasons,
  }),
  'structured-strict': () => ({
    ends: 'answer',
    request: {
      ...user(`Name a city and its population, as JSON. ${once()}`),
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'city', strict: true, schema: CITY },
      },
    },
    feature: /response_format|schema|structured/i,
    content: isCity,
  }),
  'structured-loose': () => ({
    ends: 'answer',
    request: {
      ...user(`Name a city, as a JSON object with the member "city". ${once()}`),
      response_format: { type: 'json_object' },
    },
    feature: /response_format|json/i,
    content: isObject,
  }),
  image: () => ({
    ends: 'answer',
    request: user([
      { type: 'text', text: `Which colour is this? ${once()}` },
      { type: 'image_url', image_url: { url: PICTURE } },
    ]),
    feature: /image|content|multimodal|vision/i,
  }),
  'long-text': () => ({
    ends: 'answer',
    request: {
      ...user(`${once()} ${'All work and no play makes a dull day. '.repeat(LONG_CHARS / 39)}End.`),
      stream: true,
    },
    limit: /context|too (?:long|large)|maximum|exceed/i,
  }),
  unicode: () => ({
    ends: 'answer',
    request: { ...user(`Repeat this: ${UNICODE} ${once()}`), stream: true },
  }),
  'unknown-model': () => ({
    ends: 'failure',
    request: say('good day'),
    wrong: 'model',
    script: refusal(404, 'The model does not exist.', 'model_not_found'),
  }),
  'wrong-key': () => ({
    ends: 'failure',
    request: say('good day'),
    wrong: 'key',
    script: refusal(401, 'The API key is invalid.', 'invalid_api_key'),
  }),
  'rate-limit': () => ({
    ends: 'answer',
    request: say('good afternoon'),
    script: { when: 'always', steps: [refuse(429, { 'retry-after': '1' }, 'Too many requests.'), answer] },
  }),
  'long-context': () => ({
    ends: 'failure',
    request: user(`${once()} ${'word '.repeat(TOO_LONG_CHARS / 5)}end`),
    script: refusal(400, 'The context is longer than the model takes.', 'context_length_exceeded'),
  }),
  'ten-at-once': () => ({ ends: 'answer', request: say('hello, hello'), times: AT_ONCE }),
}

export const useOf = (id: UseId): Use => TABLE[id]()
