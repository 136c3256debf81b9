// Authentication (AUTH): which requests a service lets in.
import type { Section } from '../section.ts'

export const authentication = {
  source: 'Authentication',
  subject: 'server',
  about: 'key',
  rows: {
    'AUTH-1':
      'MUST: Every endpoint of the service under `/v1` demands a key: a well-formed request without a valid one gets 401 and nothing else happens.',
    'AUTH-2': {
      isOfAuthorization: true,
      rule: 'MUST strict: The only accepted form is `Authorization: Bearer <key>`: the word `Bearer` in that spelling, exactly one space, then the key. Another scheme, another case, two spaces, a tab, a quoted key or a bare key gives 401, type `authentication_error`. Two `Authorization` lines are not a valid form either: 401 or 400, never 200. (If no key follows `Bearer`, either code is right. White space at the end of the value is stripped by HTTP itself, RFC 9110 5.5, and not judged.)',
    },
    'AUTH-3': {
      isOfAuthorization: true,
      rule: 'MUST: No `Authorization` header: 401, type `authentication_error`, code `missing_api_key`.',
    },
    'AUTH-4':
      'MUST strict: A malformed, wrong or revoked key: 401, type `authentication_error`, code `invalid_api_key`. (`Authorization: Bearer` with nothing behind it may be judged missing or malformed.)',
    'AUTH-5': 'MUST: One header works for every endpoint.',
    'AUTH-6': {
      isOfAuthorization: true,
      rule: 'MUST strict: No other mechanism authenticates: not a query parameter, `x-api-key`, `api-key`, a cookie, or Basic. Tried without an `Authorization` header and beside a wrong one.',
    },
    'AUTH-7':
      'SHOULD strict: Authentication comes before everything else: without a key, a bad body, an unknown model, an unknown path and a wrong method under `/v1` are still a 401.',
    'AUTH-8':
      'MUST strict: Every key tried with a wrong value of the right shape (right prefix, one character changed, truncated, extended) is refused.',
  },
} as const satisfies Section
