// The uses of a client library with a real server, as scenarios: what the program is asked to send, and what shows that the use
// came about. The server answers, or the script of the use in its place.
import type { RequirementId } from '../../../../spec/catalogue/requirements.ts'
import {
  type Members,
  ROLE,
  answer,
  chunksWith,
  recordsOf,
  refuse,
  streamReply,
} from '../../../../harness/scripted-service/scripted-answers.ts'
import type { Asked, Reply } from '../../../../harness/scripted-service/scripted-reply.ts'
import { at, isRecord, parseJson } from '../../../../harness/json-value.ts'
import type { Check } from '../../../contract/check.ts'
import { type Scenario, STOP_GRACE_MS } from '../scenario.ts'
import { USES, type UseId } from './use-list.ts'
import type { SentAnswer } from './sent-answer.ts'

/** The longest text of a prompt, in characters. An environment variable, which carries it, holds at most 128 KiB. */
const LONG_CHARS = 20_000
const TOO_LONG_CHARS = 120_000

/** The requests that a program sends side by side. */
const AT_ONCE = 10

export interface Use extends Omit<Scenario, 'checks'> {
  readonly name: UseId
  readonly check: Check
  /** The program shows an answer, or reports a failure, or closes its connection when it is stopped. */
  readonly ends: 'answer' | 'failure' | 'stopped'
  readonly requested: Required<Pick<NonNullable<Scenario['requested']>, 'body'>> & Scenario['requested']
  /** The part of the request that makes the server refuse it. */
  readonly wrong?: 'model' | 'key'
  /** When the script answers in place of the server: always, or if the server takes what it should refuse. */
  readonly scripted?: 'always' | 'accepted'
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

const user = (content: unknown): Members => ({ messages: [{ role: 'user', content }] })

/** Words that differ for each run and try, so that no answer comes from a cache. */
type Body = (words: string) => Members

const say =
  (text: string, more: Members = {}): Body =>
  (words) => ({ ...user(`Say in one short sentence: ${text} ${words}.`), ...more })

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

/** The members of a use about calls. The lines behind the words order them from the echo model. */
const calling = (keys: readonly string[], more: Members = {}) => ({
  body: () => ({
    ...user(
      [
        `Look up ${keys.map((key) => `the key "${key}"`).join(' and ')}, each by its own call of the tool look_up, at once.`,
        ...keys.map((key) => `#call look_up {"key":"${key}"}`),
      ].join('\n'),
    ),
    tools: [LOOK_UP],
    ...more,
  }),
  feature: /tool|function/i,
  missing: calls(keys.length),
  forced: { tool_choice: 'required' },
})

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

/** The program reports a refusal; this one is the proxy's, if the server takes the request. */
const refused = (status: number, message: string, code: string) =>
  ({ ends: 'failure', scripted: 'accepted', script: [refuse(status, {}, message, { code })] }) as const

interface UseMembers
  extends
    Partial<Omit<Use, 'name' | 'check' | 'requested'>>,
    Pick<NonNullable<Scenario['requested']>, 'turns' | 'times'> {
  readonly body: Body
}

/** A use that does not succeed fails, whatever the level of the row that it is judged by. */
const use = (name: UseId, requirement: RequirementId, { body, turns, times, ...more }: UseMembers): Use => ({
  name,
  check: { id: `use.${name}`, requirement, title: USES[name], level: 'MUST' },
  ends: 'answer',
  script: [],
  text: () => 'Good afternoon, and good luck.',
  requested: { body, ...(turns && { turns }), ...(times && { times }) },
  ...more,
})

/** All uses, in reading order. */
export const uses: readonly Use[] = [
  use('plain', 'READ-13', { body: say('good morning') }),
  use('stream', 'READ-5', { body: say('good morning, and good luck', { stream: true }) }),
  use('stream-usage', 'READ-6', {
    body: say('good evening', { stream: true, stream_options: { include_usage: true } }),
    feature: /stream_options|usage/i,
  }),
  use('abort', 'READ-11', {
    ends: 'stopped',
    body: say('a word without end', { stream: true }),
    scripted: 'always',
    script: [endless],
    stop: 'SIGINT',
    boundMs: STOP_GRACE_MS,
  }),
  use('call', 'READ-9', calling(['a'])),
  use('parallel-calls', 'READ-9', calling(['a', 'b'])),
  use('streamed-call', 'READ-9', calling(['a'], { stream: true })),
  use('conversation', 'CALL-6', { ...calling(['a']), turns: [{ look_up: 'The value is amber.' }] }),
  use('reasoning', 'READ-13', { body: say('good night, after some thought'), missing: reasons }),
  use('reasoning-sent-back', 'CALL-6', {
    body: say('good night, after a long thought'),
    turns: ['Say it once more.'],
    missing: reasons,
  }),
  use('structured-strict', 'WIRE-18', {
    body: (words) => ({
      ...user(`Name a city and its population, as JSON. ${words}`),
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'city', strict: true, schema: CITY },
      },
    }),
    feature: /response_format|schema|structured/i,
    content: isCity,
  }),
  use('structured-loose', 'WIRE-17', {
    body: (words) => ({
      ...user(`Name a city, as a JSON object with the member "city". ${words}`),
      response_format: { type: 'json_object' },
    }),
    feature: /response_format|json/i,
    content: isObject,
  }),
  use('image', 'CALL-4', {
    body: (words) =>
      user([
        { type: 'text', text: `Which colour is this? ${words}` },
        { type: 'image_url', image_url: { url: PICTURE } },
      ]),
    feature: /image|content|multimodal|vision/i,
  }),
  use('long-text', 'CALL-4', {
    body: (words) => ({
      ...user(`${words} ${'All work and no play makes a dull day. '.repeat(LONG_CHARS / 39)}End.`),
      stream: true,
    }),
    limit: /context|too (?:long|large)|maximum|exceed/i,
  }),
  use('unicode', 'CALL-4', {
    body: (words) => ({ ...user(`Repeat this: ${UNICODE} ${words}`), stream: true }),
  }),
  use('unknown-model', 'READ-1', {
    ...refused(404, 'The model does not exist.', 'model_not_found'),
    body: say('good day'),
    wrong: 'model',
  }),
  use('wrong-key', 'READ-1', {
    ...refused(401, 'The API key is invalid.', 'invalid_api_key'),
    body: say('good day'),
    wrong: 'key',
  }),
  use('rate-limit', 'RETRY-3', {
    body: say('good afternoon'),
    scripted: 'always',
    script: [refuse(429, { 'retry-after': '1' }, 'Too many requests.'), answer],
  }),
  use('long-context', 'READ-1', {
    ...refused(400, 'The context is longer than the model takes.', 'context_length_exceeded'),
    body: (words) => user(`${words} ${'word '.repeat(TOO_LONG_CHARS / 5)}end`),
  }),
  use('ten-at-once', 'READ-13', { body: say('hello, hello'), times: AT_ONCE }),
]

export const useChecks = uses.map(({ check }) => check)
