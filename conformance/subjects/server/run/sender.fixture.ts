// For tests: a sender that answers everything alike.
import { madeExchange } from '../../../../harness/exchange.fixture.ts'
import type { Exchange } from '../../../../harness/http/exchange.ts'
import type { RequestSpec } from '../../../../harness/http/probe.ts'
import { type Sender, type SenderOptions, createSender } from './sender.ts'

/** An answer to a chat request that can be read. */
export const answered: Exchange = madeExchange({ body: { choices: [{}] } })

/** A sender without a network; waits end at once unless `sleep` says otherwise. */
export function madeSender(
  answer: (request: RequestSpec) => Exchange | Promise<Exchange> = () => answered,
  sleep: (ms: number, signal: AbortSignal) => Promise<void> = async () => {},
  more: Partial<SenderOptions> = {},
): Sender {
  return createSender({
    probe: { send: async (request) => answer(request), close() {} },
    maxRequests: Infinity,
    patienceMs: 90_000,
    now: () => 0,
    onExchange: () => {},
    sleep,
    random: () => 0,
    ...more,
  })
}
