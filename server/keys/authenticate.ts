// Authenticates requests under /v1 by the key in the `Authorization` header, and by nothing else (AUTH-1 to AUTH-8).
import { errorCodes } from '../../spec/protocol/error.ts'
import { parseAuthorization } from '../../spec/protocol/key.ts'
import { ApiError } from '../http/api-error.ts'
import { andThen, type Soon } from '../http/soon.ts'
import type { ApiKey, KeyStore } from './key-store.ts'

const MESSAGES = {
  [errorCodes.missingApiKey]:
    "No API key was given. Send it in the header 'Authorization: Bearer <key>', where the key starts with svc_sk_.",
  [errorCodes.invalidApiKey]:
    "The API key is not valid: it is malformed, unknown or revoked. Expected 'Authorization: Bearer <key>' with exactly one space and an active key.",
}

/** The key of an `Authorization` header. Throws a 401; a revocation acts on the next request (KEY-4). */
export function authenticate(keys: KeyStore, header: string | undefined): Soon<ApiKey> {
  const credentials = parseAuthorization(header)
  if ('problem' in credentials) throw refusal(credentials.problem)
  return andThen(keys.findActive(credentials.key), (key) => {
    if (key === undefined) throw refusal(errorCodes.invalidApiKey)
    return key
  })
}

function refusal(code: keyof typeof MESSAGES): ApiError {
  return new ApiError(401, code, MESSAGES[code], { headers: { 'WWW-Authenticate': 'Bearer' } })
}
