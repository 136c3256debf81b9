// The error answers of each status: when, with which codes, and what the client should do (ERR-2).
import { type ErrorEnvelope, type ErrorStatus, errorCodes, errorTypes } from '../protocol/error.ts'

/** A value that a schema accepts, by the name under which it is shown. */
export type Examples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>

/** The answer to a failed request. */
export interface ErrorAnswer {
  /** The name of the answer in the document. */
  readonly name: string
  readonly description: string
  readonly examples: Examples
  /** Whether a `Retry-After` header is sent: always, or only if the service knows the time; otherwise never. */
  readonly retryAfter?: 'always' | 'sometimes'
}

function example(
  status: ErrorStatus,
  summary: string,
  code: string,
  message: string,
  param: string | null = null,
) {
  const value: ErrorEnvelope = { error: { message, type: errorTypes[status], code, param } }
  return { summary, value }
}

/** One answer for each status of the table (ERR-2). */
export const errorAnswers: Readonly<Record<ErrorStatus, ErrorAnswer>> = {
  400: {
    name: 'InvalidRequest',
    description:
      'The body is not JSON, a required field is missing, or a value is of the wrong type, out of its range or not supported. `param` names the field at fault. Sent again unchanged, it fails again.',
    examples: {
      missing: example(
        400,
        'A required field is missing',
        errorCodes.missingField,
        "Missing required field 'messages[0].role'.",
        'messages[0].role',
      ),
      range: example(
        400,
        'A value is out of its range',
        'decimal_above_max_value',
        "Invalid 'temperature': expected at most 2, got 2.5.",
        'temperature',
      ),
      unknown: example(400, 'A field is unknown', 'unknown_parameter', "Unknown field 'top_k'.", 'top_k'),
    },
  },
  401: {
    name: 'NotAuthenticated',
    description:
      'There is no key, or it is malformed, wrong or revoked. The only accepted form is `Authorization: Bearer <key>`, with exactly one space.',
    examples: {
      missing: example(401, 'No key', errorCodes.missingApiKey, 'This request carries no API key.'),
      invalid: example(
        401,
        'A wrong, malformed or revoked key',
        errorCodes.invalidApiKey,
        'This API key is not valid.',
      ),
    },
  },
  404: {
    name: 'ModelNotFound',
    description: 'The model does not exist, or the key may not use it: the answers do not differ.',
    examples: {
      model: example(
        404,
        'An unknown model',
        'model_not_found',
        "The model 'svc-9' does not exist or you do not have access to it.",
        'model',
      ),
    },
  },
  429: {
    name: 'RateLimited',
    description:
      'The key is over its limit. Wait at least `Retry-After` seconds; without a positive number there, 1000 ms · 2^n and up to 250 ms of chance before retry n, counted from 0. Bound the attempts (5 are recommended) and the total wait.',
    examples: {
      limit: example(
        429,
        'Over the limit',
        errorCodes.rateLimitExceeded,
        "This key's limit of 600 requests is exhausted. Retry in 12 s.",
      ),
    },
    retryAfter: 'always',
  },
  500: {
    name: 'ServiceFailure',
    description: 'The service failed. Retry as after a 429 without `Retry-After`.',
    examples: {
      failure: example(500, 'A failure', 'internal_error', 'The service failed to answer this request.'),
    },
  },
  503: {
    name: 'Unavailable',
    description: 'The service is overloaded or under maintenance. Retry as after a 429.',
    examples: { overload: example(503, 'Overload', 'service_unavailable', 'The model is not ready yet.') },
    retryAfter: 'sometimes',
  },
}
