// Causes that cross requirements: the answer shows one fault of the service, whatever each check expected.
import { isRequirementId, requirement, rowRequiring } from '../../../spec/catalogue/requirements.ts'
import type { Subject } from '../../../spec/catalogue/section.ts'
import { cut } from '../../../harness/cli/text.ts'
import { at, isRecord, parseJson } from '../../../harness/json-value.ts'
import type { ReportCheck, ReportExchange } from '../../contract/report.ts'
import { type FailureKind, kindOf, statusDue, statusIn } from './kinds.ts'
import { normalForm, withoutNumbers } from './normal-form.ts'

/** A cause; checks with the same `key` have the same one. */
export interface Cause {
  readonly key: string
  /** The behaviour of the service; left out if the failures of the row describe it. */
  readonly what?: string
  readonly kind?: FailureKind
  /** The row that the behaviour breaks, if it is known. */
  readonly row?: string
}

/** The facts about the other checks that a rule needs. */
interface Others {
  /** The row of streams fails for a reason that plain answers do not share. */
  readonly hasNoStreams: boolean
  /** The `prompt_tokens` that every answer has, whatever its prompt. */
  readonly promptCount?: number | undefined
}

/** The longest message of a service in the text of a finding, in characters. */
const STATED_CHARS = 300

/** Returns the cause of a check, or undefined if this rule does not see one. */
type CauseRule = (check: ReportCheck, others: Others) => Cause | undefined

const STREAM_ROW = rowRequiring('stream')
const COUNT_ROW = rowRequiring('prompt count')

/** The exchange that shows a failure; through a gateway, the one of the client. */
export function evidenceOf({ exchanges }: ReportCheck): ReportExchange | undefined {
  return exchanges.findLast(({ hop }) => hop !== 'upstream')
}

/** Returns whether the row judges such a subject; of a service, the answer in the evidence is then the judged behaviour. */
function judges(subject: Subject, { requirement: id }: ReportCheck): boolean {
  return isRequirementId(id) && requirement(id).subject === subject
}

const doesNotHold = ({ outcome }: ReportCheck): boolean => outcome === 'fail' || outcome === 'warn'

/** No answer came: the error of the connection, for example `no answer within 30 s`, is the cause. */
const noAnswer: CauseRule = ({ expected, actual, reason = '' }) => {
  const [, unjudged] = /^no answer, also when asked again: (.*)$/s.exec(reason) ?? []
  const error = expected === 'an answer' ? actual : unjudged
  return error === undefined
    ? undefined
    : { key: `no answer: ${normalForm(error)}`, what: error, kind: 'breaks' }
}

/** The wordings of verifiers for an answer that did not come to its end, with the end of the exchange. */
const ENDS = [
  [/^the connection broke after|answer was cut \(broken\)|ended early: broken|its end \(broken\)/, 'broken'],
  [/^time ran out after|answer was cut \(timeout\)|ended early: timeout|its end \(timeout\)/, 'timeout'],
  [
    /^too much came after|answer was cut \(too-large\)|ended early: too-large|its end \(too-large\)/,
    'too-large',
  ],
] as const

const END_TITLES = {
  broken: 'ends its answers by breaking the connection',
  timeout: 'does not end its answers in time',
  'too-large': 'sends more than the judge reads',
} as const

/** An answer began and did not come to its end. One that is shorter than its `Content-Length` is a cause of its own. */
const cutAnswer: CauseRule = (check) => {
  const said = check.actual ?? check.reason ?? ''
  const end = ENDS.find(([pattern]) => pattern.test(said))?.[1]
  if (end === undefined) return undefined
  const announced = evidenceOf(check)?.response?.headers.some(([name]) => /^content-length$/i.test(name))
  const what =
    end === 'broken' && announced === true
      ? 'ends its answers before the number of bytes that their Content-Length announces'
      : END_TITLES[end]
  return { key: what, what, kind: 'breaks' }
}

/** The service answered with a page of HTML instead of the format. */
const page: CauseRule = (check) => {
  const { response } = evidenceOf(check) ?? {}
  const isPage = response?.headers.some(
    ([name, value]) => /^content-type$/i.test(name) && /html/i.test(value),
  )
  if (!isPage || !judges('server', check) || !doesNotHold(check)) return undefined
  const what = `answers with a page of HTML and status ${response?.status}`
  return { key: what, what, kind: 'breaks' }
}

/**
 * No stream can be read: a library reads streams, or the last answer to `stream: true` has no chunk. A 5xx and a rate
 * limit have causes of their own.
 */
const noStreams: CauseRule = (check, { hasNoStreams }) => {
  const { requirement: row, exchanges } = check
  if (!hasNoStreams || check.outcome === 'error' || (statusIn(check) ?? 0) >= 500) return undefined
  const { request, response } = exchanges.at(-1) ?? {}
  const isStream = at(parseJson(request?.body ?? ''), 'stream') === true
  const isUnread = typeof response?.body === 'string' && !/^data: ?\{/m.test(response.body)
  const isOfStreams = row === STREAM_ROW || row.startsWith('SDK-')
  const isCaused = (isOfStreams && doesNotHold(check)) || (isStream && isUnread && response?.status !== 429)
  return isCaused ? { key: 'no streams', row: STREAM_ROW } : undefined
}

/** Each prompt has the same count, so that no comparison of two counts holds. */
const countsNoPrompt: CauseRule = (check, { promptCount }) => {
  const { expected = '', actual = '' } = check
  if (promptCount === undefined || !expected.includes('prompt_tokens') || !doesNotHold(check))
    return undefined
  if (!new RegExp(`\\b${promptCount}\\b`).test(actual)) return undefined
  return {
    key: 'no counts of prompts',
    what: `counts ${promptCount} \`prompt_tokens\` whatever the prompt`,
    row: COUNT_ROW,
  }
}

/** A member of an error or of an answer is missing; if the error has no envelope, that is the cause. */
const missingMember: CauseRule = (check) => {
  const { expected = '', actual = '' } = check
  const exchange = evidenceOf(check)
  if (/\berror\.\w|^an error object|^a \d{3} that names\b/.test(expected) && isWithoutEnvelope(exchange))
    return { key: 'no error', what: 'sends errors without the object `error`' }
  const [, member] = /^([a-z_][\w.[\]]*)(?:,| (?=["\d{[]))/.exec(expected) ?? []
  if (member === undefined || !/^nothing(?: at the client)?$/.test(actual)) return undefined
  if (member.startsWith('error.')) return { key: `no ${member}`, what: `sends errors without \`${member}\`` }
  const [endpoint = 'others'] = /\b(?:chat\/completions|models)\b/.exec(exchange?.request.url ?? '') ?? []
  return { key: `${endpoint}: no ${member}`, what: `sends answers of ${endpoint} without \`${member}\`` }
}

/** The sides of a gateway, and what crosses it to each. */
const CROSSES = { client: 'answers', upstream: 'requests' } as const

/** A gateway loses, adds or changes one member of a message, whatever its value and its place in a list. */
const crossedMember: CauseRule = (check) => {
  const { expected = '', actual = '' } = check
  const [, value = '', side] = /^(.*) at the (client|upstream)$/s.exec(actual) ?? []
  const [, path, due] = /^([a-z_][\w.[\]]*) (.*)$/is.exec(expected) ?? []
  if (!judges('gateway', check) || (side !== 'client' && side !== 'upstream') || path === undefined)
    return undefined
  const member = path.replace(/\[\d+\]|(?<=\.)\d+\./g, '')
  const does = value === 'nothing' ? 'loses' : due === 'nothing' ? 'adds' : 'changes'
  const what = `${does} \`${member}\` of ${CROSSES[side]}`
  return { key: what, what }
}

/** Returns whether a failed request is answered with a JSON object without an object `error`. */
function isWithoutEnvelope(exchange: ReportExchange | undefined): boolean {
  const { status = 0, body = '' } = exchange?.response ?? {}
  const answer = status < 400 ? undefined : parseJson(body)
  return isRecord(answer) && !isRecord(answer['error'])
}

/** A refusal has another status than the one that is due, for example 422 for 400. */
const otherRefusal: CauseRule = (check) => {
  const [due, got] = [statusDue(check), statusIn(check)]
  if (kindOf(check) !== 'misnames' || due === undefined || got === undefined) return undefined
  return { key: `${got} for ${due}`, what: `refuses with status ${got} instead of ${due}` }
}

/**
 * The status that every refusal has in place of a 400, and the number of checks that fail because of it. Undefined if
 * some refusal has a 400, if the statuses differ, or if only one check shows it.
 */
export function everyRefusalIn(checks: readonly ReportCheck[]) {
  const isOther = (check: ReportCheck): boolean =>
    doesNotHold(check) && statusDue(check) === 'status 400' && kindOf(check) === 'misnames'
  const others = checks.filter(isOther)
  const [status, ...more] = new Set(others.map(statusIn))
  const has400 = checks.some(({ exchanges }) =>
    exchanges.some(({ hop, response }) => hop !== 'upstream' && response?.status === 400),
  )
  if (status === undefined || more.length > 0 || has400 || others.length < 2) return undefined
  return { status, count: others.length }
}

/** A check that has no verdict, or that the suite failed to judge, has its reason as its cause. */
const reason: CauseRule = (check) => {
  if (doesNotHold(check)) return undefined
  const [first = ''] = (check.reason ?? '').split('\n')
  return { key: `${check.outcome}: ${normalForm(first)}`, what: first }
}

/** The rules in their order: the first that sees a cause decides. */
const RULES: readonly CauseRule[] = [
  noAnswer,
  cutAnswer,
  page,
  noStreams,
  countsNoPrompt,
  missingMember,
  crossedMember,
  otherRefusal,
  reason,
]

/**
 * Returns the function from a check of a report to its cause, which is one of these: no answer came; the answer did not
 * come to its end; it is a page of HTML; no stream can be read; each prompt has the same count; a member is missing; a gateway changes a member; a refusal
 * has another status than is due; there is no verdict, for a reason. Undefined if the check shows none of them.
 */
export function causesAmong(checks: readonly ReportCheck[]): (check: ReportCheck) => Cause | undefined {
  const ofStreams = checks.filter(({ requirement: id, outcome }) => id === STREAM_ROW && outcome === 'fail')
  const hasNoStreams = ofStreams.some(
    (check) => firstCause(check, { hasNoStreams: true })?.row === STREAM_ROW,
  )
  const others = { hasNoStreams, promptCount: promptCountOf(checks) }
  return (check) => firstCause(check, others)
}

/** The `prompt_tokens` of all answers in the report, if the row of their growth fails and they are the same; 0 breaks another row. */
function promptCountOf(checks: readonly ReportCheck[]): number | undefined {
  if (!checks.some(({ requirement: id, outcome }) => id === COUNT_ROW && outcome === 'fail')) return undefined
  const bodies = checks.flatMap(({ exchanges }) => exchanges.map(({ response }) => response?.body ?? ''))
  const counts = bodies.map((body) => at(parseJson(body), 'usage', 'prompt_tokens'))
  const [count, ...others] = new Set(counts.filter((each) => typeof each === 'number'))
  return count === 0 || others.length > 0 ? undefined : count
}

function firstCause(check: ReportCheck, others: Others): Cause | undefined {
  for (const rule of RULES) {
    const cause = rule(check, others)
    if (cause !== undefined) return cause
  }
  return undefined
}

/**
 * A 5xx, or the refusal of a valid request, with the message of the service. If all failures of one row have the same
 * message, that message has the same cause in other rows.
 */
export function statedCauseOf(check: ReportCheck): Cause | undefined {
  const got = statusIn(check)
  const kind = kindOf(check)
  if (got === undefined || got < 400 || kind === 'misnames' || !doesNotHold(check)) return undefined
  const due = statusDue(check) ?? check.expected ?? ''
  const text = cut(statedIn(evidenceOf(check)), STATED_CHARS)
  const said = text === '' ? '' : `: ${text}`
  return {
    key: `${got} for ${normalForm(due)}${withoutNumbers(said)}`,
    what: `answers with status ${got} instead of ${due}${said}`,
    kind,
  }
}

/** The message of an error, in any of the usual envelopes, or the whole body. */
function statedIn(exchange: ReportExchange | undefined): string {
  const { body = '' } = exchange?.response ?? {}
  const parsed = parseJson(body)
  const paths = [['error', 'message'], ['error'], ['message'], ['detail']]
  const messages = paths.map((path) => at(parsed, ...path))
  return messages.find((message) => typeof message === 'string') ?? body
}
