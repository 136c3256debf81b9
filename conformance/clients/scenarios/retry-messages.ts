// Control flow depends on the status (RETRY-8): a message that says the opposite, a message with the usual words, or
// another `type` or `code` beside the same status does not change what a program does.
import { answer, refuse } from '../scripted-service/answers.ts'
import type { Step } from '../scripted-service/reply.ts'
import { type Scenario, withOneCheck } from '../scenario.ts'
import { sameCourse, waitNotFromMessage } from '../verify/course.ts'

/** Refusals whose message contradicts their status, each with the scenario of the same refusal without the message. */
const SAYINGS = [
  {
    name: 'says-retry-400',
    usual: 'status-400',
    status: 400,
    message: 'Rate limit reached (429 rate_limit_exceeded): too many requests, please try again.',
  },
  {
    name: 'says-retry-404',
    usual: 'status-404',
    status: 404,
    message: 'The service is temporarily overloaded (503 service_unavailable). Please retry later.',
  },
  {
    name: 'says-retry-409',
    usual: 'status-409',
    status: 409,
    message: 'Internal server error (500 api_error), timeout: retry this request.',
  },
  {
    name: 'says-never-500',
    usual: 'backoff-500',
    status: 500,
    message: 'Invalid request (400 invalid_request_error): this model does not exist. Do not retry.',
  },
  {
    name: 'says-never-503',
    usual: 'backoff-503',
    status: 503,
    message: 'Incorrect API key provided (401 invalid_api_key). This request will never succeed.',
  },
] as const

/** Refusals whose message has the usual words of their status; the usual scenarios have none of them. */
const USUAL_WORDS = [
  {
    name: 'says-rate-limit-429',
    usual: 'retry-after-1',
    refusal: refuse(
      429,
      { 'retry-after': '1' },
      'Rate limit reached: too many requests (429 rate_limit_exceeded).',
    ),
  },
  {
    name: 'says-server-error-500',
    usual: 'backoff-500',
    refusal: refuse(500, {}, 'Internal server error (500 api_error). Please try again.'),
  },
  {
    name: 'says-overloaded-503',
    usual: 'backoff-503',
    refusal: refuse(503, {}, 'Service unavailable: the server is overloaded. Please retry later.'),
  },
] as const

/** Refusals whose `type` or `code` belongs to another status. */
const OTHER_TYPES = [
  {
    id: 'code-retry-400',
    usual: 'status-400',
    status: 400,
    headers: {},
    error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  },
  {
    id: 'code-retry-404',
    usual: 'status-404',
    status: 404,
    headers: {},
    error: { type: 'service_unavailable', code: 'service_unavailable' },
  },
  // The code stays: a program may use it for precise handling.
  {
    id: 'type-never-429',
    usual: 'retry-after-1',
    status: 429,
    headers: { 'retry-after': '1' },
    error: { type: 'invalid_request_error' },
  },
  {
    id: 'type-never-500',
    usual: 'backoff-500',
    status: 500,
    headers: {},
    error: { type: 'invalid_request_error' },
  },
] as const

/** The script of the usual scenario with another refusal: a status that ends a request is repeated for ever. */
function asUsual(usual: string, refusal: Step): Scenario['script'] {
  return usual.startsWith('status') ? [refusal] : [refusal, answer]
}

/** A wait that only a message names, in milliseconds. */
const SAID_MS = 7_500

export const scenarios: readonly Scenario[] = [
  ...SAYINGS.map(({ name, usual, status, message }) =>
    withOneCheck({
      id: `retry.message-${name}`,
      name,
      requirement: 'RETRY-8',
      title: `a ${status} whose message says “${message}”`,
      beside: [usual],
      verify: (observed, beside) => sameCourse(observed, beside(usual), 'with another message'),
      script: asUsual(usual, refuse(status, {}, message)),
    }),
  ),
  ...USUAL_WORDS.map(({ name, usual, refusal }) =>
    withOneCheck({
      id: `retry.message-${name}`,
      name,
      requirement: 'RETRY-8',
      title: `a ${name.slice(-3)} whose message has the usual words`,
      beside: [usual],
      verify: (observed, beside) => sameCourse(observed, beside(usual), 'without the usual words'),
      script: [refusal, answer],
    }),
  ),
  ...OTHER_TYPES.map(({ id, usual, status, headers, error }) =>
    withOneCheck({
      id: `retry.${id}`,
      requirement: 'RETRY-8',
      title: `a ${status} with ${Object.entries(error)
        .map(([name, value]) => `\`${name}\` ${value}`)
        .join(' and ')}`,
      beside: [usual],
      verify: (observed, beside) => sameCourse(observed, beside(usual), 'with its own type and code'),
      script: asUsual(usual, refuse(status, headers, undefined, error)),
    }),
  ),
  withOneCheck({
    id: 'retry.message-says-quota-429',
    name: 'says-quota-429',
    requirement: 'RETRY-8',
    title: 'a 429 whose message says that a quota is exhausted',
    beside: ['retry-after-1'],
    verify: (observed, beside) => sameCourse(observed, beside('retry-after-1'), 'with another message'),
    script: [
      refuse(
        429,
        { 'retry-after': '1' },
        'You exceeded your current quota (insufficient_quota): check your plan and billing.',
      ),
      answer,
    ],
  }),
  withOneCheck({
    id: 'retry.message-says-wait-429',
    name: 'says-wait-429',
    requirement: 'RETRY-8',
    title: 'a 429 whose message names a longer wait than its header',
    beside: ['retry-after-1'],
    verify: (observed, beside) => waitNotFromMessage(observed, beside('retry-after-1'), SAID_MS),
    script: [refuse(429, { 'retry-after': '1' }, `Please try again in ${SAID_MS / 1000}s.`), answer],
  }),
]
