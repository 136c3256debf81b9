// Failures that do not look like one: statuses other than 200 with an answer in their body, and errors whose body is not
// the service's (READ-1, READ-4).
import {
  answer,
  bodyReply,
  completion,
  jsonReply,
  refuse,
} from '../../../../harness/scripted-service/scripted-answers.ts'
import type { Step } from '../../../../harness/scripted-service/scripted-reply.ts'
import { type Scenario, withOneCheck, scenario } from '../scenario.ts'
import { sameCourse } from '../verify/call-course.ts'
import { reportedFailure } from '../verify/program-output.ts'
import { PLAIN } from './usual-answers.ts'
import { reportsFailure } from './retry-statuses.ts'

/** Statuses that some clients treat as success or ignore, and refusals: none is a 200, whatever the body contains. */
const WITH_AN_ANSWER = [201, 202, 206, 300, 400, 422]

const answers = WITH_AN_ANSWER.map((status) =>
  withOneCheck({
    ...reportsFailure(`read.answer-in-${status}`, `a ${status} with a whole answer in its body is a failure`),
    script: [(asked) => jsonReply(status, completion(asked))],
  }),
)

const HTML =
  '<!doctype html>\n<html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>\n'

/** Error bodies that do not come from the service. */
const BODIES = {
  empty: () => bodyReply(400, 'application/json', ''),
  html: () => bodyReply(400, 'text/html', HTML),
  'html-as-json': () => bodyReply(400, 'application/json', HTML),
  detail: () => jsonReply(400, { detail: [{ loc: ['body', 'model'], msg: 'field required' }] }),
  'error-text': () => jsonReply(400, { error: 'field required' }),
  array: () => jsonReply(400, [{ message: 'field required' }]),
  null: () => jsonReply(400, null),
  'not-utf-8': () => bodyReply(400, 'application/json', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
} as const satisfies Record<string, Step>

const bodies = Object.entries(BODIES).map(([name, step]) =>
  scenario(`read.body-${name}`, 'READ-4', `a 400 whose body is ${name.replaceAll('-', ' ')}`)
    .with({ beside: [PLAIN, 'status-400'], script: [step] })
    .verify((observed, beside) => {
      reportedFailure(observed, beside(PLAIN), 'the status was 400')
      sameCourse(observed, beside('status-400'), 'with the error of the service')
    }),
)

/** Failures that are retried because of their status, with bodies that do not come from the service. */
const RETRIED = [
  { name: 'body-empty-503', usual: 'backoff-503', step: () => bodyReply(503, 'text/plain', '') },
  { name: 'body-html-503', usual: 'backoff-503', step: () => bodyReply(503, 'text/html', HTML) },
  {
    name: 'body-html-429',
    usual: 'retry-after-1',
    step: () => bodyReply(429, 'text/html', HTML, { 'retry-after': '1' }),
  },
  { name: 'body-detail-500', usual: 'backoff-500', step: () => jsonReply(500, { detail: 'Not Found' }) },
] as const

const retried = RETRIED.map(({ name, usual, step }) =>
  scenario(
    `read.${name}`,
    'READ-4',
    `a failure is retried by its status, whatever its body is (${name.slice(5)})`,
  )
    .with({ beside: [usual], script: [step, answer] })
    .verify((observed, beside) => sameCourse(observed, beside(usual), 'with the error of the service')),
)

const streamed = withOneCheck({
  ...reportsFailure('read.streamed-400', 'a 400 to a streamed request is a failure'),
  requested: { stream: true },
  script: [refuse(400)],
})

export const scenarios: readonly Scenario[] = [...answers, ...bodies, ...retried, streamed]
