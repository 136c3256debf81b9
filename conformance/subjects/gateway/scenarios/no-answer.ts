// An upstream that is down, silent, or answers with something other than the format: an error in time (GATE-12).
import { readStream } from '../../../../harness/http/event-stream.ts'
import {
  begun,
  bodyReply,
  completion,
  jsonReply,
  streamReply,
} from '../../../../harness/scripted-service/scripted-answers.ts'
import { type Step, reset, silent, whole } from '../../../../harness/scripted-service/scripted-reply.ts'
import { fail } from '../../../contract/outcome.ts'
import {
  type Crossing,
  type GatewayCheck,
  type GatewayScenario,
  type RunFacts,
  type ScenarioMembers,
  check,
  scenario,
} from '../crossing.ts'
import { said } from '../crossing-sides.ts'

const ERRORS: ReadonlySet<number> = new Set([500, 502, 503, 504])

/** Judged on every crossing. */
export const keepsAnswering = check(
  'gate.keeps-answering',
  'GATE-12',
  'the gateway goes on answering, whatever the upstream did',
  ({ stoppedAfter }) => {
    if (stoppedAfter !== undefined)
      fail('an answer to each request', `the gateway stopped answering after ${stoppedAfter}`)
  },
)

/** The time limit, and the flag for that of the gateway. */
const limit = ({ timeoutMs }: RunFacts): string =>
  `within ${timeoutMs / 1000} s (if the gateway is configured to wait longer, give its limit as --timeout)`

/** One of the statuses, in time. */
function isError(crossing: Crossing, facts: RunFacts): void {
  const { answer } = crossing
  if (answer === undefined) return fail(`an error ${limit(facts)}`, said(crossing))
  const { status } = answer.response
  if (!ERRORS.has(status)) fail('an error with status 500, 502, 503 or 504', said(crossing))
}

/** Verifies that a stream which the upstream began ends in time: an error record, or a connection that breaks. */
const endsInTime: GatewayCheck['verify'] = (crossing, facts) => {
  const { answer } = crossing
  if (answer === undefined || answer.response.status !== 200) return isError(crossing, facts)
  const { end } = answer.response
  if (end === 'timeout') return fail(`an end ${limit(facts)}`, said(crossing))
  if (end === 'complete' && readStream(answer).errors.length === 0)
    fail('an error record, or a connection that breaks', said(crossing))
}

/** The members that differ from those of a plain request; `verify` is `isError`, unless given. */
type More = Partial<ScenarioMembers> & { readonly verify?: GatewayCheck['verify'] }

function failing(name: string, title: string, step: Step, { verify = isError, ...more }: More = {}) {
  return scenario(`gate.upstream-${name}`, 'GATE-12', title)
    .with({ phase: 'failures', steps: [step], ...more })
    .verify(verify)
}

const becomesError = (name: string, what: string, step: Step, more?: More) =>
  failing(name, `${what} becomes an error`, step, more)

/** The difference of a streamed request. */
const streamed = { request: { stream: true }, verify: endsInTime } as const
const html =
  (status: number): Step =>
  () =>
    bodyReply(status, 'text/html', '<html><body><h1>It works</h1></body></html>')

/** A completion with another value for its choices. */
const noChoices =
  (choices: unknown): Step =>
  (asked) =>
    jsonReply(200, completion(asked, { top: { choices } }))

/** Answers of an interface for messages. */
const OTHER_ANSWER = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  content: [{ type: 'text', text: 'Hello.' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 9, output_tokens: 2 },
} as const
const OTHER_EVENTS = [
  { type: 'message_start', message: { ...OTHER_ANSWER, content: [] } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } },
  { type: 'message_stop' },
] as const

export const scenarios: readonly GatewayScenario[] = [
  becomesError('html', 'a page of HTML with status 200', html(200)),
  becomesError('html-502', 'a page of HTML with status 502', html(502)),
  becomesError('empty', 'an empty answer', () => bodyReply(200, 'application/json', '')),
  becomesError('not-json', 'text other than JSON', () => bodyReply(200, 'application/json', 'Hello!')),
  becomesError('list', 'a list', () => jsonReply(200, [])),
  becomesError('no-choices', 'an object without choices', () =>
    jsonReply(200, { object: 'chat.completion' }),
  ),
  becomesError('empty-choices', 'an answer with an empty list of choices', noChoices([])),
  becomesError('null-choices', 'an answer whose choices are `null`', noChoices(null)),
  becomesError('other-format', 'an answer of another interface', () => jsonReply(200, OTHER_ANSWER)),
  becomesError('error-with-200', 'an error object with status 200', () =>
    jsonReply(200, { error: { message: 'The model failed.', type: 'api_error', code: 'api_error' } }),
  ),
  becomesError('html-for-a-stream', 'a page of HTML in answer to a streamed request', html(200), streamed),
  becomesError(
    'json-for-a-stream',
    'an object without choices in answer to a streamed request',
    () => jsonReply(200, {}),
    streamed,
  ),
  becomesError(
    'empty-choices-for-a-stream',
    'an answer with an empty list of choices to a streamed request',
    noChoices([]),
    streamed,
  ),
  becomesError(
    'other-events',
    'a stream of another interface',
    () =>
      streamReply(
        OTHER_EVENTS.map((event) => ({
          bytes: Buffer.from(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
          afterMs: 0,
        })),
      ),
    streamed,
  ),
  becomesError('reset', 'a connection that breaks before the answer', reset),
  failing('reset-streamed', 'the same for a streamed request', reset, streamed),
  failing('silent', 'an upstream that does not answer becomes an error in time', silent, { isSlow: true }),
  failing('silent-streamed', 'the same for a streamed request', silent, {
    isSlow: true,
    ...streamed,
  }),
  failing('stalled', 'a stream that stalls ends in time', (asked) => streamReply(begun(asked), 'stalled'), {
    isSlow: true,
    ...streamed,
  }),
  failing(
    'stalled-plain',
    'a plain answer that stalls becomes an error in time',
    (asked) => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      pieces: whole(JSON.stringify(completion(asked)).slice(0, 60)),
      end: 'stalled',
    }),
    {
      isSlow: true,
      verify(crossing, facts) {
        if (crossing.answer?.response.end !== 'broken') isError(crossing, facts)
      },
    },
  ),
  becomesError('down', 'an upstream that does not listen', reset, { phase: 'down' }),
  failing('down-streamed', 'the same for a streamed request', reset, {
    phase: 'down',
    ...streamed,
  }),
]
