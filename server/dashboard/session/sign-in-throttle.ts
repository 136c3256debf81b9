// Throttles guesses of the password. After a few failures of a network, each further one doubles its wait, up to a maximum:
// a typing error costs a second, an attacker waits a minute. After too many failures of all networks, a network waits from
// its first failure on. The networks with the fewest recent attempts are served first, so that an attack from many
// addresses does not keep the operator waiting.
import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { networkOf, siteOf } from '../../addresses/client-address.ts'

export interface SignInLimits {
  /** Failures that one address (of IPv6: one network of 64 bits) has before it waits. */
  readonly failuresPerAddress: number
  /** The longest that it waits; the first time it is one second. */
  readonly maxDelaySeconds: number
  /** Failures of all together, after which an address waits from its first failure on. */
  readonly failures: number
  /** How long the failures and attempts of an address are remembered after its last one. */
  readonly windowSeconds: number
  /** The time that a wrong password takes at least: it bounds the guesses of all together. */
  readonly pauseMs: number
  /** Attempts that are verified or wait for their turn. Beyond it, the one that would be served last is refused. */
  readonly waiting: number
  /** How many of them may be of one address. */
  readonly waitingPerAddress: number
  /** The longest that an attempt waits for its turn. */
  readonly maxWaitSeconds: number
}

export const DEFAULT_SIGN_IN_LIMITS: SignInLimits = {
  failuresPerAddress: 5,
  maxDelaySeconds: 60,
  failures: 100,
  windowSeconds: 600,
  pauseMs: 100,
  waiting: 64,
  waitingPerAddress: 32,
  maxWaitSeconds: 20,
}

/** The result of an attempt. `retryAfterSeconds` is a whole number, at least 1. */
export type SignInVerdict =
  | 'right'
  | 'wrong'
  | { readonly refused: 'too many failures' | 'busy'; readonly retryAfterSeconds: number }

/** The failures of one network, and when the last one was, in milliseconds of `performance.now()`. */
interface Failures {
  readonly count: number
  readonly at: number
}

/** An attempt that waits for its turn. */
interface Waiting {
  readonly network: string
  /** Its place in the order: lower ones are served first. */
  readonly rank: number
  readonly since: number
  readonly verify: () => Promise<boolean>
  readonly settle: (verdict: SignInVerdict | Promise<SignInVerdict>) => void
}

/** The maximum number of sites whose attempts are remembered; beyond it the one that was silent the longest is forgotten. */
const MAX_SITES = 10_000

/** A site that signed in is served before sites that never did, for this many attempts. */
const ATTEMPTS_AFTER_SUCCESS = -5

/** Up to this many recent attempts sites are served alike: the operator may mistype once. */
const EQUAL_ATTEMPTS = 2

const BUSY: SignInVerdict = { refused: 'busy', retryAfterSeconds: 1 }

/**
 * Attempts are judged one at a time: the count of failures is then exact however many arrive together, and of the
 * costly verifications only one runs at any moment. That also bounds the remembered failures: as many as fit into a
 * window one after another.
 *
 * The order is by the recent attempts of a site, including refused ones; of equals the newest is first, so that a
 * burst does not delay the attempts after it. An attacker delays the operator only with a new site for each verification.
 */
export function createSignInThrottle(limits: SignInLimits = DEFAULT_SIGN_IN_LIMITS) {
  const { failuresPerAddress, maxDelaySeconds, failures, pauseMs } = limits
  const windowMs = limits.windowSeconds * 1000
  /** The failures of each network; the latest one is last. */
  const failed = new Map<string, Failures>()
  let allFailures = 0
  /** The recent attempts by site. */
  const attempts = new LRUCache<string, number>({ max: MAX_SITES, ttlResolution: 0 })
  const queue: Waiting[] = []
  let running: Waiting | undefined

  function forgetFailures(network: string): void {
    allFailures -= failed.get(network)?.count ?? 0
    failed.delete(network)
  }

  /** Counts an attempt of a site and returns its recent ones. */
  function countAttempt(site: string): number {
    const recent = (attempts.get(site) ?? 0) + 1
    // The precedence after a success does not expire.
    attempts.set(site, recent, { ttl: recent > 0 ? windowMs : 0 })
    return recent
  }

  /** The refusal of a network that has to wait after its failures. */
  function delayed(network: string): SignInVerdict | undefined {
    for (const [other, { at }] of failed) {
      if (performance.now() - at < windowMs) break
      forgetFailures(other)
    }
    const own = failed.get(network)
    if (own === undefined) return undefined
    const free = allFailures >= failures ? 1 : failuresPerAddress
    const seconds = own.count < free ? 0 : Math.min(maxDelaySeconds, 2 ** (own.count - free))
    const waitMs = own.at + seconds * 1000 - performance.now()
    return waitMs > 0
      ? { refused: 'too many failures', retryAfterSeconds: Math.ceil(waitMs / 1000) }
      : undefined
  }

  async function judge({ network, verify }: Waiting): Promise<SignInVerdict> {
    const refusal = delayed(network)
    if (refusal !== undefined) return refusal
    if (await verify()) {
      forgetFailures(network)
      return 'right'
    }
    const count = (failed.get(network)?.count ?? 0) + 1
    forgetFailures(network)
    failed.set(network, { count, at: performance.now() })
    allFailures += count
    await sleep(pauseMs)
    return 'wrong'
  }

  async function serve(): Promise<void> {
    if (running !== undefined) return
    while ((running = takeFirst()) !== undefined) {
      const turn = judge(running)
      running.settle(turn)
      await turn.catch(() => undefined)
    }
  }

  function takeFirst(): Waiting | undefined {
    const oldest = performance.now() - limits.maxWaitSeconds * 1000
    for (const waiting of queue.filter(({ since }) => since < oldest)) {
      queue.splice(queue.indexOf(waiting), 1)
      waiting.settle(BUSY)
    }
    const fewest = Math.min(...queue.map((waiting) => waiting.rank))
    const first = queue.findLastIndex((waiting) => waiting.rank === fewest)
    return first < 0 ? undefined : queue.splice(first, 1)[0]
  }

  function refuseLast(): void {
    const most = Math.max(...queue.map((waiting) => waiting.rank))
    const last = queue.findIndex((waiting) => waiting.rank === most)
    for (const waiting of queue.splice(last, 1)) waiting.settle(BUSY)
  }

  function ownWaiting(network: string): number {
    return [running, ...queue].filter((waiting) => waiting?.network === network).length
  }

  return {
    /** Calls `verify` unless the address has to wait. */
    async attempt(client: string, verify: () => Promise<boolean>): Promise<SignInVerdict> {
      const network = networkOf(client)
      const site = siteOf(client)
      const recent = countAttempt(site)
      const refusal = delayed(network)
      if (refusal !== undefined) return refusal
      if (ownWaiting(network) >= limits.waitingPerAddress) return BUSY
      const { promise, resolve: settle } = Promise.withResolvers<SignInVerdict>()
      queue.push({
        network,
        rank: recent <= 0 ? 0 : Math.max(recent, EQUAL_ATTEMPTS),
        since: performance.now(),
        verify,
        settle,
      })
      void serve()
      if (queue.length + (running === undefined ? 0 : 1) > limits.waiting) refuseLast()
      const verdict = await promise
      if (verdict === 'right') attempts.set(site, ATTEMPTS_AFTER_SUCCESS, { ttl: 0 })
      return verdict
    },
  }
}
