// The one error class. Everything that refuses or fails a request throws an ApiError; one handler writes it (ERR-1).
import { quoted, redactKeys } from '../../spec/protocol/key.ts'
import { type ErrorEnvelope, errorCodes, errorTypeOf } from '../../spec/protocol/error.ts'

export interface ApiErrorOptions {
  /** The field at fault, as `messages[0].role` (ERR-8). */
  readonly param?: string
  /** Response headers that belong to this error, for example `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>
  /** The internal cause; logged, never sent (ERR-4). */
  readonly cause?: unknown
}

/** A failed request as the client sees it. The type follows from the status (ERR-2). */
export class ApiError extends Error {
  /** One of the table; a client may order any other from 400 to 599 (FAULTS=on). */
  readonly status: number
  readonly code: string
  readonly param: string | null
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, code: string, message: string, options: ApiErrorOptions = {}) {
    // A client may have sent its key in a wrong place; no answer repeats it (ERR-4).
    super(redactKeys(message), options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.param = options.param === undefined ? null : redactKeys(options.param)
    this.headers = options.headers ?? {}
  }

  /** The envelope: the body of the answer, or the last record of a stream that fails after it has begun (ERR-6). */
  toJson(): string {
    const { message, status, code, param } = this
    const envelope: ErrorEnvelope = { error: { message, type: errorTypeOf(status), code, param } }
    return JSON.stringify(envelope)
  }
}

/** A 400 about one field. The code is `invalid_request_error` if a required field is missing (CHAT-4). */
export function invalidRequest(
  message: string,
  param?: string,
  code: string = errorCodes.missingField,
  cause?: unknown,
): ApiError {
  return new ApiError(400, code, message, { ...(param === undefined ? {} : { param }), cause })
}

/** The 404 of a model that does not exist or that the key may not use: the two look the same (MODEL-2, MODEL-3). */
export function modelNotFound(model: string): ApiError {
  const name = quoted(model, 200)
  return new ApiError(
    404,
    'model_not_found',
    `The model '${name}' does not exist or you do not have access to it.`,
    {
      param: 'model',
    },
  )
}

/** A 503 with `Retry-After`, in whole seconds. */
export function unavailable(message: string, retryAfterSeconds: number, cause?: unknown): ApiError {
  return new ApiError(503, 'service_unavailable', message, {
    headers: { 'Retry-After': String(retryAfterSeconds) },
    cause,
  })
}

/** Converts a thrown value to the error for the client: an ApiError stays, anything else is a 500 without details. */
export function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  return new ApiError(500, 'internal_error', 'The service failed to answer this request.', { cause: thrown })
}

/** Ends a connection in the middle of its answer; thrown only if a prompt orders it (FAULTS=on). */
export class ConnectionCut extends Error {
  override readonly name = 'ConnectionCut'
}
