// The message of an error does not change what a program does (RETRY-8): the same status and code, and a message that
// says the opposite.
import { answer, refuse } from '../scripted-service/answers.ts'
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
      script: usual.startsWith('status')
        ? [refuse(status, {}, message)]
        : [refuse(status, {}, message), answer],
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
