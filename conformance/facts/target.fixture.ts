// For tests: a target of which everything is known.
import { madeExchange } from '../../harness/exchange.fixture.ts'
import { FAST_PLAN } from './pace.ts'
import type { Target } from '../contract/target.ts'

/** A target that offers everything; `more` changes what is known of it. */
export function madeTarget(more: Partial<Target> = {}): Target {
  return {
    baseUrl: 'http://127.0.0.1:8080',
    profile: 'service',
    model: 'svc-0.1-test',
    key: 'svc_sk_main',
    token: async () => undefined,
    models: async () => ['svc-0.1-test'],
    echoes: async () => true,
    deterministic: async () => true,
    supports: async () => true,
    brief: async () => ({}),
    plan: () => FAST_PLAN,
    requireEcho: async () => {},
    requireDeterministic: async () => ({ request: {}, exchange: madeExchange() }),
    requireField: async () => {},
    secondKey: async () => 'svc_sk_second',
    revokedKey: async () => 'svc_sk_revoked',
    restricted: async () => ({ key: 'svc_sk_restricted', model: 'svc-0.1-other' }),
    limited: async () => ({ key: 'svc_sk_limited' }),
    createKey: async () => ({ id: 'key_1', secret: 'svc_sk_made' }),
    revokeKey: async () => {},
    ...more,
  }
}
