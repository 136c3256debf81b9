// Every request under /v1 carries one key in one header; nothing else authenticates (AUTH-1 to AUTH-8).
import type { MiddlewareHandler } from 'hono'
import { errorCodes } from '../../spec/protocol/error.ts'
import { parseAuthorization } from '../../spec/protocol/key.ts'
import type { AppEnv } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import type { KeyStore } from './key-store.ts'

const MESSAGES = {
  [errorCodes.missingApiKey]:
    "No API key was given. Send it in the header 'Authorization: Bearer <key>', where the key starts with svc_sk_.",
  [errorCodes.invalidApiKey]:
    "The API key is not valid: it is malformed, unknown or revoked. Expected 'Authorization: Bearer <key>' with exactly one space and an active key.",
}

/** Looks the key up on every request, so that a revocation acts on the very next one (KEY-4). */
export function authenticate(keys: KeyStore): MiddlewareHandler<AppEnv> {
  return async function authenticate(c, next) {
    const credentials = parseAuthorization(c.req.raw.headers.get('authorization') ?? undefined)
    if ('problem' in credentials) throw refusal(credentials.problem)
    const key = await keys.findActive(credentials.key)
    if (key === undefined) throw refusal(errorCodes.invalidApiKey)
    c.set('apiKey', key)
    await next()
  }
}

function refusal(code: keyof typeof MESSAGES): ApiError {
  return new ApiError(401, code, MESSAGES[code], { headers: { 'WWW-Authenticate': 'Bearer' } })
}
