// Starts the gateway that is judged, if the judge is given its command, waits until it is ready, and ends it.
import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import type { Exchange } from '../../../harness/http/exchange.ts'
import type { Probe } from '../../../harness/http/probe.ts'
import { TransportError } from '../../../harness/http/transport-error.ts'
import { commandStarter, ending } from '../../../harness/judged-program.ts'
import { clockMs } from '../../../harness/scripted-service/measuring-clock.ts'
import { gatewayEnvironment } from '../../contract/environment/program-environment.ts'
import type { GatewaySettings } from './settings.ts'

/**
 * Starts the command, if there is one. `{upstream}` and `{upstream_key}` in its words, and the variables `TOUCHSTONE_UPSTREAM` and
 * `TOUCHSTONE_UPSTREAM_KEY`, are the address of the upstream, without `/v1`, and its key.
 */
export function startGateway({ command, environment }: GatewaySettings, url: string, key: string) {
  if (command.length === 0) return { ended: new Promise<never>(() => {}), stop: async () => {} }
  const start = commandStarter(command, gatewayEnvironment(environment))
  const running = start({
    env: { TOUCHSTONE_UPSTREAM: url, TOUCHSTONE_UPSTREAM_KEY: key },
    values: { upstream: url, upstream_key: key },
  })
  const ended = running.ended.then((end): never => {
    throw new UsageError(`${command[0]}: the gateway ended: ${ending(end)}`)
  })
  // It may end when the judge no longer waits for it.
  ended.catch(() => undefined)
  return {
    /** Rejects with a `UsageError` when the gateway ends by itself; never resolves, so that other work can race it. */
    ended,
    async stop(): Promise<void> {
      running.kill()
      await running.ended.catch(() => undefined)
    },
  }
}

/** The interval between two tries to reach the gateway, in milliseconds. */
const TRY_AGAIN_MS = 250

/**
 * Tries until there is a value, and returns it. Throws `UsageError` if the time for that is over, with the reason that
 * `problem` returns for this time.
 */
export async function untilReady<Value>(
  { baseUrl, warmUpMs }: Pick<GatewaySettings, 'baseUrl' | 'warmUpMs'>,
  signal: AbortSignal,
  tryOnce: () => Promise<Value | undefined>,
  problem: (time: string) => string,
): Promise<Value> {
  for (const untilMs = clockMs() + warmUpMs; clockMs() < untilMs;) {
    signal.throwIfAborted()
    const value = await tryOnce()
    if (value !== undefined) return value
    await sleep(TRY_AGAIN_MS, undefined, { signal }).catch(() => undefined)
  }
  throw new UsageError(`${baseUrl}: ${problem(`within ${warmUpMs / 1000} s`)}`)
}

/** The answer of the gateway to the request for its models; undefined if none came. */
export async function modelsAt(probe: Probe, signal: AbortSignal): Promise<Exchange | undefined> {
  try {
    return await probe.send({ path: '/v1/models' }, signal)
  } catch (error) {
    if (error instanceof TransportError) return undefined
    throw error
  }
}
