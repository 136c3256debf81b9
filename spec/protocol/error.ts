// The one shape of a failed request, and the one table from status to type (specification: Errors).
import { z } from 'zod'

/** One type per status (ERR-2). */
export const errorTypes = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  404: 'model_not_found',
  429: 'rate_limit_error',
  500: 'api_error',
  503: 'service_unavailable',
} as const

/** The statuses that the specification knows for a failed request. */
export type ErrorStatus = keyof typeof errorTypes

/** The type of a failed request: any other status has the type of its class, 400 or 500. */
export function errorTypeOf(status: number): string {
  return isErrorStatus(status) ? errorTypes[status] : errorTypes[status < 500 ? 400 : 500]
}

function isErrorStatus(status: number): status is ErrorStatus {
  return Object.hasOwn(errorTypes, status)
}

/** The codes that the specification names; every other code is free (any string). */
export const errorCodes = {
  missingField: 'invalid_request_error',
  missingApiKey: 'missing_api_key',
  invalidApiKey: 'invalid_api_key',
  rateLimitExceeded: 'rate_limit_exceeded',
} as const

/** The code of a failed request about which nothing more is known: the one that its status has, or its type. */
export function errorCodeOf(status: number): string {
  if (status === 401) return errorCodes.invalidApiKey
  return status === 429 ? errorCodes.rateLimitExceeded : errorTypeOf(status)
}

/** The envelope (ERR-1). `param` names the field at fault, for example `messages[0].role`, or is null (ERR-8). */
export const errorDetails = z.object({
  message: z.string().min(1),
  type: z.string(),
  code: z.string(),
  param: z.string().nullable().optional(),
})

export const errorEnvelope = z.object({ error: errorDetails }).describe('The body of every failed request.')

export type ErrorEnvelope = z.infer<typeof errorEnvelope>
