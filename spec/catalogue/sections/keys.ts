// Keys (KEY): how they are made, shown, rotated and revoked, and how the judge keeps them secret.
import type { Section } from '../section.ts'

export const keys = {
  source: 'API key; States and transitions; Authentication 7–9',
  subject: 'server',
  about: 'key',
  rows: {
    'KEY-1': {
      subject: 'dashboard',
      rule: 'MUST: Every key starts with `svc_sk_`; the rest is unguessable (at least 128 bits from a cryptographic source).',
    },
    'KEY-2': {
      subject: 'dashboard',
      rule: 'MUST: The secret is shown once, at creation, and cannot be read again anywhere: not in a page, a log, a metric, the database (which holds a hash).',
    },
    'KEY-3': 'MUST: Several keys are active at once; creating one disables none.',
    'KEY-4':
      'MUST: Revocation acts at once: the first request after it gets 401 `invalid_api_key`. On several instances too.',
    'KEY-5':
      'MUST: A revoked key never authenticates again: also seconds later, on every endpoint, and on many connections at once.',
    'KEY-6':
      'MUST strict: No API endpoint creates, lists or revokes keys. (Tried: `/v1/keys`, `/v1/api_keys`, `/v1/api-keys`, `/v1/organization/api_keys`. Only 401, 404, 405 and 501 show that an endpoint is absent; a 400 shows that something reads the body.)',
    'KEY-7': {
      brokenBy: ['connection'],
      rule: 'MUST: Rotation without downtime: new key works beside the old one; under continuous traffic the switch loses no request; after the revocation only the old key gets 401.',
    },
    'KEY-8': {
      subject: 'dashboard',
      rule: 'MUST: During a rotation one can see which keys still carry traffic (last use, request count) before revoking.',
    },
    'KEY-9':
      'MAY strict: Keys are for servers only: the API sends no CORS header that would let a page in a browser call it. (The sentence binds callers; reported only.)',
    'KEY-10': {
      subject: 'suite',
      rule: 'MUST: Keys reach the suite through the environment or a file, never through a command line it prints, and appear in no report, transcript or log.',
    },
    'KEY-11':
      'MUST strict: Keys that the service issues start with `svc_sk_`. (Judged without a request, on the keys that the judge was given or that its key command created. Their values are never printed.)',
    'KEY-12': {
      subject: 'dashboard',
      rule: 'MUST: Keys are created, revoked and deleted in the dashboard. A deleted key disappears from the list and is refused like a revoked one (`invalid_api_key`), for good.',
    },
  },
} as const satisfies Section
