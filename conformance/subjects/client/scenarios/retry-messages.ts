// Control flow depends on the status (RETRY-8): a message that says the opposite, a message with the usual words, or
// another `type` or `code` beside the same status does not change what a program does.
import { answer, refuse } from '../../../../harness/scripted-service/scripted-answers.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { ENDLESS_MS, sameCourse, waitNotFromMessage } from '../verify/call-course.ts'

/** The headers of a refusal: only the one of a 429 names a wait. */
const headersOf = (status: number) => (status === 429 ? { 'retry-after': '1' } : {})

/** The scenario of the same refusal without the message: a status that ends a request is repeated for ever. */
const USUAL: Readonly<Record<number, string>> = {
  400: 'status-400',
  404: 'status-404',
  409: 'status-409',
  429: 'retry-after-1',
  500: 'backoff-500',
  503: 'backoff-503',
}

/** A refusal that has the same course as the usual one of its status; `what` is the difference of the usual one. */
function asUsual(
  id: string,
  status: number,
  title: string,
  what: string,
  message: string | undefined,
  error?: { readonly type?: string; readonly code?: string },
): Scenario {
  const usual = USUAL[status] ?? ''
  const refusal = refuse(status, headersOf(status), message, error)
  const ends = usual.startsWith('status')
  return scenario(`retry.${id}`, 'RETRY-8', title)
    .with({
      name: id.replace(/^message-/, ''),
      beside: [usual],
      script: ends ? [refusal] : [refusal, answer],
      // The usual one has the same bound: a program may retry both until it gives up.
      ...(ends ? { boundMs: ENDLESS_MS } : {}),
    })
    .verify((observed, beside) => sameCourse(observed, beside(usual), what))
}

/** Messages that contradict the status of their refusal. */
const SAYINGS = {
  'says-retry-400': 'Rate limit reached (429 rate_limit_exceeded): too many requests, please try again.',
  'says-retry-404': 'The service is temporarily overloaded (503 service_unavailable). Please retry later.',
  'says-retry-409': 'Internal server error (500 api_error), timeout: retry this request.',
  'says-never-500': 'Invalid request (400 invalid_request_error): this model does not exist. Do not retry.',
  'says-never-503': 'Incorrect API key provided (401 invalid_api_key). This request will never succeed.',
} as const

/** Messages with the usual words of their status; the usual scenarios have none of them. */
const USUAL_WORDS = {
  'says-rate-limit-429': 'Rate limit reached: too many requests (429 rate_limit_exceeded).',
  'says-server-error-500': 'Internal server error (500 api_error). Please try again.',
  'says-overloaded-503': 'Service unavailable: the server is overloaded. Please retry later.',
} as const

/** A `type` or `code` that belongs to another status. */
const OTHER_TYPES = {
  'code-retry-400': { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  'code-retry-404': { type: 'service_unavailable', code: 'service_unavailable' },
  // The code stays: a program may use it for precise handling.
  'type-never-429': { type: 'invalid_request_error' },
  'type-never-500': { type: 'invalid_request_error' },
} as const

/** The status at the end of a name. */
const statusIn = (name: string): number => Number(name.slice(-3))

/** A wait that only a message names, in milliseconds. */
const SAID_MS = 7_500

export const scenarios: readonly Scenario[] = [
  ...Object.entries(SAYINGS).map(([name, message]) => {
    const title = `a ${statusIn(name)} whose message says “${message}”`
    return asUsual(`message-${name}`, statusIn(name), title, 'with another message', message)
  }),
  ...Object.entries(USUAL_WORDS).map(([name, message]) => {
    const title = `a ${statusIn(name)} whose message has the usual words`
    return asUsual(`message-${name}`, statusIn(name), title, 'without the usual words', message)
  }),
  ...Object.entries(OTHER_TYPES).map(([name, error]) => {
    const members = Object.entries(error).map(([member, value]) => `\`${member}\` ${value}`)
    const title = `a ${statusIn(name)} with ${members.join(' and ')}`
    return asUsual(name, statusIn(name), title, 'with its own type and code', undefined, error)
  }),
  asUsual(
    'message-says-quota-429',
    429,
    'a 429 whose message says that a quota is exhausted',
    'with another message',
    'You exceeded your current quota (insufficient_quota): check your plan and billing.',
  ),
  scenario(
    'retry.message-says-wait-429',
    'RETRY-8',
    'a 429 whose message names a longer wait than its header',
  )
    .with({
      name: 'says-wait-429',
      beside: ['retry-after-1'],
      script: [refuse(429, headersOf(429), `Please try again in ${SAID_MS / 1000}s.`), answer],
    })
    .verify((observed, beside) => waitNotFromMessage(observed, beside('retry-after-1'), SAID_MS)),
]
