// Shared by the checks of gateways: whether a request reached the upstream, whether its answer came back, and both hops as
// exchanges.
import {
  type Exchange,
  PIECE_BYTES,
  type SentRequest,
  json,
  requestJson,
  text,
  utf8,
} from '../../../harness/http/exchange.ts'
import { exactJson } from '../../../harness/json-text.ts'
import { at, show } from '../../../harness/json-value.ts'
import { memoizePer } from '../../../harness/memoize.ts'
import { type Call, exchangeOf } from '../../../harness/scripted-service/received-call.ts'
import type { HopExchange } from '../../contract/result.ts'
import { CheckFailure, Inconclusive, NotApplicable, fail } from '../../contract/outcome.ts'
import { type Difference, showPath } from './compare/json-difference.ts'
import type { Crossing } from './crossing.ts'

/** The most that is read of an answer, in bytes with the memory for its pieces and events: 5 MB, each character escaped. */
export const MOST_OF_AN_ANSWER = 48 * 2 ** 20

/** Throws if the judge did not read the whole answer of the client: what is missing then shows nothing. */
export function requireRead({ answer }: Crossing): void {
  if (answer?.response.end === 'too-large')
    throw new Inconclusive(
      `the judge reads ${MOST_OF_AN_ANSWER / 2 ** 20} MiB of an answer, with ${PIECE_BYTES} bytes for each of its pieces, ` +
        `and this one has more: ${answer.response.body.length} bytes in ${answer.response.chunks.length} pieces came`,
    )
}

/** The delay of the judge's own timers may be the cause of what came. */
export class TooBusy extends Inconclusive {}

/** Throws if what came may be due to a delay of the judge: no answer, a broken one, or an error of the gateway. */
export function requireTime({ answer, busyMs }: Crossing): void {
  if (busyMs === undefined) return
  const { status, end } = answer?.response ?? { status: 0, end: 'timeout' }
  if (status === 408 || status >= 500 || end === 'timeout' || end === 'broken')
    throw new TooBusy(
      `the judge itself was late by ${Math.round(busyMs)} ms meanwhile: this machine is too busy to judge a gateway`,
    )
}

/** The answer at the client, as a reader of a failure sees it. */
export function said({ answer, failure }: Crossing): string {
  if (answer === undefined) return failure?.message ?? 'no answer'
  const { status, body, end } = answer.response
  const ending = end === 'complete' || end === 'left-open' ? '' : ` (${end})`
  return `status ${status}${ending}, ${body.length === 0 ? 'an empty body' : show(json(answer) ?? text(answer) ?? 'not UTF-8')}`
}

/** The request as it reached the upstream at last. Throws if it did not. */
export function reached(crossing: Crossing): Call {
  const call = crossing.calls.at(-1)
  if (call !== undefined) return call
  refuseIfNamed(crossing)
  throw new Inconclusive(`the request did not reach the upstream: the client got ${said(crossing)}`)
}

/** Throws `NotApplicable` if the request was refused with a 400 that names one of its members. */
export function refuseIfNamed(crossing: Crossing): void {
  const { answer, sent } = crossing
  if (answer?.response.status !== 400) return
  const error = at(json(answer), 'error')
  const message = `${String(at(error, 'message'))} ${String(at(error, 'param'))}`
  const named = namesIn(sent).find((name) => new RegExp(`\\b${name.replace(/\W/g, '\\$&')}\\b`).test(message))
  if (named !== undefined)
    throw new NotApplicable(`the gateway refuses \`${named}\`: ${show(at(error, 'message'))}`)
}

/** Throws if the gateway itself refused a request because it has too many at the same time: the others are judged. */
export function requireRoom({ answer, calls }: Crossing): void {
  const status = answer?.response.status
  if (calls.length === 0 && (status === 429 || status === 503))
    throw new NotApplicable(`the gateway refuses some of the requests at the same time with ${status}`)
}

/** The members that every request has: an error that mentions one refuses it by name only if it is empty. */
const ALWAYS = new Set(['model', 'messages', 'role', 'content', 'type', 'text', 'name', 'id', 'function'])

/** The names of the members of a request that can be refused by name, at any depth. */
function namesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn)
  if (typeof value !== 'object' || value === null) return []
  const members = Object.entries(value)
  const names = members.flatMap(([name, member]) => (ALWAYS.has(name) && member !== '' ? [] : [name]))
  return [...names, ...members.flatMap(([, member]) => namesIn(member))]
}

/** The body of a request at the upstream, with exact numbers. */
export const bodyAt = ({ request }: Call): unknown => exactRequest(request)

const exactRequest = memoizePer(
  (request: SentRequest): unknown =>
    exactJson(utf8(request.body ?? new Uint8Array()) ?? '') ?? requestJson(request),
)

/** The body of an answer, with exact numbers. */
export const exactBody = memoizePer(
  (answer: Exchange): unknown => exactJson(text(answer) ?? '') ?? json(answer),
)

/** Values of headers about a cache by which an answer does not come from it. */
const NOT_CACHED =
  /^\s*(?:|0|no|none|null|false|off|disabled|.*\b(?:miss|bypass(?:ed)?|dynamic|skip(?:ped)?|fwd|expired|uncached|no-store|no-cache)\b.*)\s*$/i

/**
 * Whether a header of an answer says that it comes from a cache: `Age`, or one with `cache` in its name whose value does not
 * say the opposite, such as `x-cache: HIT` or the key of the entry. `Cache-Control` says what others may do with it.
 */
export function isFromCache({ response }: Exchange): boolean {
  return response.headers.some(([name, value]) =>
    /^age$/i.test(name)
      ? /^\d+$/.test(value)
      : /cache/i.test(name) && !/cache-?control/i.test(name) && !NOT_CACHED.test(value),
  )
}

/** The answers of both sides to one request. */
export interface Sides {
  readonly upstream: Exchange
  readonly client: Exchange
}

/** Both answers, of which that of the upstream is a success. Fails if it did not reach the client as one (GATE-2, GATE-3). */
export function arrived(crossing: Crossing): Sides {
  const upstream = exchangeOf(reached(crossing))
  if (upstream === undefined) throw new Inconclusive('the upstream did not answer')
  const { answer } = crossing
  if (answer?.response.status !== 200) {
    refuseIfNamed(crossing)
    fail('the answer of the upstream, with status 200', said(crossing))
  }
  return { upstream, client: answer }
}

/** Both answers, if both are a success; undefined if another check judges that none came. */
export function bothAnswers({ answer, calls }: Crossing): Sides | undefined {
  const call = calls.at(-1)
  const upstream = call && exchangeOf(call)
  const isSuccess = (one: Exchange | undefined): boolean => one?.response.status === 200
  if (upstream === undefined || answer === undefined) return undefined
  return isSuccess(upstream) && isSuccess(answer) ? { upstream, client: answer } : undefined
}

/** Both answers, for rows that do not require that one arrives: without it they cannot be judged. */
export function succeeded(crossing: Crossing): Sides {
  try {
    return arrived(crossing)
  } catch (error) {
    if (!(error instanceof CheckFailure)) throw error
    throw new Inconclusive(`the answer of the upstream did not arrive: the client got ${said(crossing)}`)
  }
}

/** Throws if the gateway requested no stream of the upstream, although the client did, which GATE-1 judges. */
export function requireStream(crossing: Crossing): void {
  if (at(bodyAt(reached(crossing)), 'stream') !== true)
    throw new Inconclusive('the gateway requested no stream of the upstream, although the client did')
}

/** Throws if the upstream sent its answer without a content coding, because the gateway requested none. */
export function requireEncoded(crossing: Crossing): void {
  if (reached(crossing).reply?.headers.some(([name]) => name === 'content-encoding') !== true)
    throw new NotApplicable('the gateway requests no content coding of the upstream')
}

/** Fails if there is a difference; `where` is the place of the second value. */
export function same(difference: Difference | undefined, where: string): void {
  if (difference === undefined) return
  const { path, sent, arrived } = difference
  const [expected, actual] =
    typeof sent === 'string' && typeof arrived === 'string'
      ? excerpts(sent, arrived)
      : [show(sent), show(arrived)]
  fail(`${showPath(path)} ${expected}`, `${actual} ${where}`)
}

/** The characters of an excerpt before and behind the first difference. */
const BEFORE = 16
const BEHIND = 60

/** Two texts from shortly before their first difference; characters beyond ASCII are escaped, for some look equal. */
function excerpts(one: string, other: string): readonly [string, string] {
  let start = 0
  while (start < Math.min(one.length, other.length) && one[start] === other[start]) start += 1
  const from = Math.max(0, start - BEFORE)
  const excerpt = (text: string): string => {
    const shown = JSON.stringify(text.slice(from, start + BEHIND)).replace(
      /[^ -~]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    const isWhole = from === 0 && text.length <= start + BEHIND
    return `${from > 0 ? `from character ${from} ` : ''}${shown}${isWhole ? '' : ` (${text.length} in all)`}`
  }
  return [excerpt(one), excerpt(other)]
}

/** The most requests at the upstream that a report shows of one crossing. */
const MOST_SHOWN = 6

/** Both sides of a crossing: at the client, then each request at the upstream. */
export function hopsOf({ answer, failure, calls, strays }: Crossing): readonly HopExchange[] {
  const request = answer?.request ?? failure?.request
  return [
    ...(request === undefined ? [] : [{ hop: 'client' as const, request, exchange: answer }]),
    ...[...strays, ...calls].slice(-MOST_SHOWN).map((call) => ({
      hop: 'upstream' as const,
      request: call.request,
      exchange: exchangeOf(call),
    })),
  ]
}
