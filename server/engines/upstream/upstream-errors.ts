// Maps a failure of an upstream to one row of our own error table. A rejected request keeps its message; any other
// failure shows the client only whether to retry.
import { parseRetryAfter } from '../../../spec/protocol/retry.ts'
import { errorCodes } from '../../../spec/protocol/error.ts'
import { ApiError, invalidRequest, unavailable } from '../../http/api-error.ts'
import type { UpstreamModel } from './upstream-model.ts'

/** Maximum length of a forwarded message, in characters. */
const MAX_MESSAGE = 300

/** Maximum forwarded wait, in seconds (LIMIT-6). */
const MAX_RETRY_AFTER = 3600

/** The error for a record in a stream: its `error` member, with the status in `code` or `status` if there is one. */
export function failedUpstream(error: unknown, upstream: UpstreamModel): ApiError {
  const status = [memberOf(error, 'code'), memberOf(error, 'status')].map(Number).find(isStatus) ?? 500
  return upstreamError(status, { error }, null, upstream)
}

/** An answer that is not in the format. */
export function malformedUpstream(what: string): ApiError {
  return new ApiError(500, 'upstream_malformed', 'The model gave an answer that cannot be used.', {
    cause: new Error(`upstream: ${what}`),
  })
}

/** The upstream accepted a field and ignored it (WIRE-12). */
export function ignoredByUpstream(field: string): ApiError {
  return invalidRequest(
    `Unsupported parameter: '${field}' is not supported with this model.`,
    field,
    'unsupported_parameter',
  )
}

/** The error for an answer whose status is not 200. */
export function upstreamError(
  status: number,
  body: unknown,
  retryAfter: string | null,
  upstream: UpstreamModel,
): ApiError {
  const error = memberOf(body, 'error')
  const cause = new Error(`upstream answered ${status}: ${said(error, upstream)}`)
  const seconds = Math.min(
    MAX_RETRY_AFTER,
    Math.ceil(parseRetryAfter(retryAfter) ?? secondsUntil(retryAfter)),
  )
  if (status === 502 || status === 503 || status === 504)
    return unavailable('The model is overloaded or not ready.', seconds, cause)
  if (status === 429)
    return new ApiError(429, errorCodes.rateLimitExceeded, 'The model gets too many requests.', {
      headers: { 'Retry-After': String(seconds) },
      cause,
    })
  if (status === 404)
    return new ApiError(404, 'model_not_found', `The model '${upstream.id}' is not available.`, {
      param: 'model',
      cause,
    })
  // A wrong key or path is an error of the operator, so the client gets a 500.
  if (status === 401 || status < 400 || status >= 500)
    return new ApiError(500, 'upstream_failed', 'The model failed to answer this request.', { cause })
  // The message is replaced, because it may describe the operator's account. It is final, like every 4xx (GATE-5).
  if (status === 403)
    return invalidRequest('The model refused this request.', undefined, 'upstream_refused', cause)
  const param = memberOf(error, 'param')
  const code = memberOf(error, 'code')
  return invalidRequest(
    said(error, upstream),
    typeof param === 'string' && param !== '' ? param.slice(0, MAX_MESSAGE) : undefined,
    typeof code === 'string' && code !== '' ? code.slice(0, MAX_MESSAGE) : 'upstream_refused',
    cause,
  )
}

/** The seconds until a date in the future, because waits are forwarded in seconds (GATE-5); 1 for any other value. */
function secondsUntil(date: string | null): number {
  const waitMs = Date.parse(date ?? '') - Date.now()
  return waitMs > 0 ? waitMs / 1000 : 1
}

/** The first line of its message, without the key, the address and the model's name of the upstream (GATE-8). */
function said(error: unknown, { id, model, apiKey, baseUrl }: UpstreamModel): string {
  const message = memberOf(error, 'message')
  const [line = ''] = (typeof message === 'string' ? message.trim() : '').split('\n')
  const secrets = [apiKey, baseUrl, new URL(baseUrl).host].filter((secret) => secret !== undefined)
  const cleaned = secrets.reduce((text, secret) => text.replaceAll(secret, '…'), line).replaceAll(model, id)
  return cleaned.slice(0, MAX_MESSAGE) || 'The model refused this request.'
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function isStatus(value: number): boolean {
  return Number.isInteger(value) && value >= 400 && value <= 599
}
