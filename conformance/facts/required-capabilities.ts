// Whether the target has the capabilities that `--require` names.
import { TransportError } from '../../harness/http/transport-error.ts'
import { Inconclusive } from '../contract/outcome.ts'
import type { DiscoveredTarget } from '../contract/target.ts'

/**
 * Whether the target offers the required capabilities, undefined if that is unknown; those that no case asked about are
 * probed here.
 */
export async function askRequired(
  required: readonly string[],
  target: DiscoveredTarget,
  signal: AbortSignal,
) {
  const { echoes: echo, deterministic } = target
  const asks: Record<string, () => Promise<boolean>> = { echo, deterministic }
  const asked: { readonly name: string; readonly offered: boolean | undefined }[] = []
  for (const name of required) {
    const known = target.capabilities().find((capability) => capability.name === name)
    const ask = asks[name] ?? (() => target.supports(name))
    // An interrupted run sends no more requests.
    if (known === undefined && signal.aborted) continue
    asked.push({ name, offered: known?.offered ?? (await ask().catch(unlessUnknown)) })
  }
  return asked
}

/** Ignores errors that leave a capability unknown; any other error is a fault of the suite. */
function unlessUnknown(error: unknown): undefined {
  if (!(error instanceof Inconclusive || error instanceof TransportError)) throw error
}
