// No check passes on an answer that it could not read: what an unread answer makes of the end of a case.
import { type UnreadAnswer, unreadAnswer, unreadReason } from '../../../exchanges/read-answer.ts'
import type { RequirementId } from '../../../../spec/catalogue/requirements.ts'
import { type Exchange, headerValues, json, requestJson } from '../../../../harness/http/exchange.ts'
import { at, isRecord } from '../../../../harness/json-value.ts'
import { chatCompletionRequest } from '../../../../spec/schemas/request.ts'
import type { Judged } from '../../../contract/result.ts'
import type { Target } from '../../../contract/target.ts'

/** An unread answer of a case. */
export interface CaseUnread extends UnreadAnswer {
  /** The request should have succeeded, and what came is nothing of the format: a failure after it shows nothing. */
  readonly explains: boolean
}

/** Returns why no case may pass on an answer of this target; undefined if it can be read. */
export function unreadIn(exchange: Exchange, target: Pick<Target, 'key' | 'model'>): CaseUnread | undefined {
  const unread = unreadAnswer(exchange)
  if (unread === undefined) return undefined
  const isForeign = !isRecord(json(exchange)) || at(json(exchange), 'choices') === undefined
  const explains = exchange.response.status === 200 && isForeign && isOrdinary(exchange, target)
  return { ...unread, explains }
}

/** A request that the target must answer: of its own key, for its model, and valid. */
function isOrdinary({ request }: Exchange, { key, model }: Pick<Target, 'key' | 'model'>): boolean {
  const credentials = headerValues(request.headers, 'authorization')
  if (key !== '' && (credentials.length !== 1 || credentials[0] !== `Bearer ${key}`)) return false
  if (request.method === 'GET') return true
  const body = requestJson(request)
  return at(body, 'model') === model && chatCompletionRequest.safeParse(body).success
}

/**
 * The end of a case of a row that received an unread answer: never a pass, and no failure of another row than the one
 * that judges the answer if the request should have succeeded.
 */
export function judgeUnread(judged: Judged, row: RequirementId, unread: CaseUnread | undefined): Judged {
  if (unread === undefined || judged.outcome === 'inconclusive' || judged.outcome === 'error') return judged
  const isFailure = judged.outcome === 'fail' || judged.outcome === 'warn'
  if (isFailure && (!unread.explains || unread.row === row)) return judged
  return { outcome: 'inconclusive', reason: unreadReason(unread) }
}
