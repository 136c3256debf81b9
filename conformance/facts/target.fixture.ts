// For tests: a target of which everything is known, and a sender that answers everything alike.
import { madeExchange } from '../../harness/exchange.fixture.ts'
import type { RequestSpec } from '../../harness/http/probe.ts'
import type { Exchange } from '../../harness/http/exchange.ts'
import { type Sender, createSender } from '../subjects/server/run/sender.ts'
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

/** A sender without a network; waits end at once unless `sleep` says otherwise. */
export function madeSender(
  answer: (request: RequestSpec) => Exchange | Promise<Exchange> = () => madeExchange(),
  sleep: (ms: number, signal: AbortSignal) => Promise<void> = async () => {},
): Sender {
  return createSender({
    probe: { send: async (request) => answer(request), close() {} },
    maxRequests: Infinity,
    patienceMs: 90_000,
    now: () => 0,
    onExchange: () => {},
    sleep,
    random: () => 0,
  })
}
