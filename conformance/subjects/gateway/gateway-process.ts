// Starts the gateway that is judged, if the judge is given its command, and ends it.
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { ending } from '../client/verify/program.ts'
import { commandStarter } from '../../../harness/judged-program.ts'
import { programEnvironment } from '../client/settings.ts'
import type { Environment } from '../../contract/settings.ts'

/**
 * Starts the command, if there is one. `{upstream}` and `{upstream_key}` in its words, and the variables `TOUCHSTONE_UPSTREAM` and
 * `TOUCHSTONE_UPSTREAM_KEY`, are the address of the upstream, without `/v1`, and its key.
 */
export function startGateway(
  command: readonly string[],
  environment: Environment,
  upstream: { readonly url: string; readonly key: string },
) {
  if (command.length === 0) return { ended: new Promise<never>(() => {}), stop: async () => {} }
  const start = commandStarter(command, programEnvironment(environment))
  const running = start({
    env: { TOUCHSTONE_UPSTREAM: upstream.url, TOUCHSTONE_UPSTREAM_KEY: upstream.key },
    values: { upstream: upstream.url, upstream_key: upstream.key },
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
