// Answers with status 200 that contain no completion, which a program reports as a failure and not as an empty answer
// (READ-15).
import {
  type Members,
  bodyReply,
  chunkHead,
  completion,
  jsonReply,
  recordsOf,
  streamReply,
  usageChunk,
} from '../../../../harness/scripted-service/scripted-answers.ts'
import { type Step, whole } from '../../../../harness/scripted-service/scripted-reply.ts'
import { encodeRecord } from '../../../../spec/protocol/sse.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { ENDLESS_MS } from '../verify/call-course.ts'
import { reportedFailure } from '../verify/program-output.ts'
import { usualFor } from './usual-answers.ts'

/** A scenario whose every answer is this one. A program may retry it. */
function fails(stream: boolean, name: string, what: string, step: Step): Scenario {
  const id = `no-completion-${name}${stream ? '-streamed' : ''}`
  const asked = stream ? ', to a streamed request' : ''
  return scenario(`read.${id}`, 'READ-15', `a 200 with ${what} is a failure${asked}`)
    .with({
      beside: [usualFor({ stream })],
      requested: { stream },
      script: [step],
      boundMs: ENDLESS_MS,
    })
    .verify((observed, beside) =>
      reportedFailure(observed, beside(usualFor({ stream })), `the 200 has ${what}`),
    )
}

const json = (body: unknown): Step => {
  return () => jsonReply(200, body)
}

const ERROR = { message: 'The model is overloaded.', type: 'api_error', code: 'api_error', param: null }

/** Errors, which gateways send with status 200 whether the request is streamed or not. */
const ERRORS: readonly (readonly [name: string, what: string, body: unknown])[] = [
  ['error', 'an `error` object', { error: ERROR }],
  ['error-code', 'an `error` whose code is a status', { error: { code: 502, message: 'Provider error' } }],
  ['error-text', 'an `error` that is a text', { error: 'The model is overloaded.' }],
  ['error-without-choices', 'an `error` beside `choices: null`', { choices: null, error: ERROR }],
]

/** The good answer with other choices. */
const withChoices =
  (choices: unknown): Step =>
  (asked) =>
    jsonReply(200, completion(asked, { top: { choices } }))

const plain: readonly Scenario[] = [
  ...ERRORS.map(([name, what, body]) => fails(false, name, what, json(body))),
  fails(false, 'choices-empty', '`choices: []`', withChoices([])),
  fails(false, 'choices-null', '`choices: null`', withChoices(null)),
  fails(false, 'choices-absent', 'a completion without `choices`', withChoices(undefined)),
  fails(false, 'empty-object', '`{}`', json({})),
  fails(false, 'message', 'an object that is not a completion', json({ code: 1302, message: 'busy' })),
  fails(false, 'list', 'a list', json([{ message: 'busy' }])),
  fails(false, 'empty-list', 'an empty list', json([])),
  fails(false, 'string', 'a string', json('The model is overloaded.')),
  fails(false, 'number', 'a number', json(0)),
  fails(false, 'null', '`null`', json(null)),
  fails(false, 'empty', 'an empty body', () => bodyReply(200, 'application/json', '')),
  fails(false, 'page', 'a page of HTML', () => bodyReply(200, 'text/html', '<html><p>Sign in</p></html>\n')),
]

/** A stream of these chunks, and `[DONE]`. */
const chunks = (list: readonly Members[]): Step => {
  return () => streamReply(recordsOf(list))
}

const streamed: readonly Scenario[] = [
  ...ERRORS.slice(0, 3).map(([name, what, body]) => fails(true, name, what, json(body))),
  fails(true, 'done', 'a stream of `[DONE]` alone', chunks([])),
  fails(true, 'usage', 'a stream whose one chunk has the usage', (asked) =>
    streamReply(recordsOf([usageChunk(chunkHead(asked))])),
  ),
  fails(true, 'choices-empty', 'a stream in which no chunk has a choice', (asked) => {
    const empty = { ...chunkHead(asked), choices: [] }
    return streamReply(recordsOf([empty, empty, usageChunk(empty)]))
  }),
  fails(true, 'other-records', 'a stream of records that are not chunks', chunks([{}, { status: 'busy' }])),
  fails(true, 'comments', 'a stream of comments', () => streamReply(whole(': busy\n\n: busy\n\n'))),
  fails(true, 'unended', 'a stream of the usage, without `[DONE]`', (asked) =>
    streamReply(whole(encodeRecord(JSON.stringify(usageChunk(chunkHead(asked)))))),
  ),
]

export const scenarios: readonly Scenario[] = [...plain, ...streamed]
