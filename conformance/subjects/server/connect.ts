// The connection of a run to its target: the key, the facts that are known so far, and every request with its record.
import { connectionOf } from '../../../harness/http/connection.ts'
import type { Exchange } from '../../../harness/http/exchange.ts'
import { createProbe } from '../../../harness/http/probe.ts'
import { shownAddress } from '../../../harness/http/service-address.ts'
import { TransportError } from '../../../harness/http/transport-error.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { type KeyMaker, KeyCommandError } from '../../../harness/keys/key-command.ts'
import { secretHeaders } from '../../../harness/secrets/redact.ts'
import type { TargetFacts } from '../../../harness/target-facts.ts'
import { otherSecrets } from '../../contract/environment/given-secrets.ts'
import type { Settings } from '../../contract/settings.ts'
import type { RunTransport } from '../../contract/transport.ts'
import { createCaptureFile } from '../../exchanges/capture-file.ts'
import { brokenNow, recordedNow } from '../../exchanges/recorded-exchange.ts'

/** The most that is read of one answer, and held of all answers that still arrive, in bytes. */
const MOST_BODY_BYTES = 5 * 1024 * 1024
const MOST_OPEN_BYTES = 32 * 1024 * 1024

interface ToConnect {
  readonly options: Settings
  readonly baseUrl: string
  readonly keyMaker: KeyMaker | undefined
  readonly transport: RunTransport
  /** Sends a request and returns the exchange that is judged, which may be another than the one that was sent. */
  readonly around?: (send: () => Promise<Exchange>) => Promise<Exchange>
}

export type Connection = Awaited<ReturnType<typeof connect>>

/** Makes the connection; nothing is sent yet, except by the key command. Throws `UsageError` if there is no key. */
export async function connect(run: ToConnect) {
  const { options, baseUrl, transport, around = (send) => send() } = run
  const { authHeader, headers, timeoutMs, profile, credentials } = options
  const { key, learned } = await mainKey(run)
  let facts: TargetFacts = { baseUrl, profile, model: options.model ?? '' }
  const probe = createProbe({
    get baseUrl() {
      return facts.baseUrl
    },
    key,
    authHeader,
    headers,
    timeoutMs,
    transport: transport.connect({
      protocol: new URL(baseUrl).protocol,
      bodies: { most: MOST_BODY_BYTES, mostOpen: MOST_OPEN_BYTES },
      // The judge reaches a server that it started itself directly, never through a proxy.
      connection: options.baseUrl === undefined ? undefined : connectionOf(options.environment),
    }),
  })
  const capture =
    options.capture === undefined
      ? undefined
      : createCaptureFile(options.capture, shownAddress(baseUrl), {
          flag: '--capture',
          secrets: [key, ...credentials.secrets.keys(), ...otherSecrets(options)],
          keep: options.keep,
          headers: secretHeaders(headers),
        })
  return {
    key,
    learned,
    facts: (): TargetFacts => facts,
    learn: (more: Partial<TargetFacts>): void => void (facts = { ...facts, ...more }),
    probe: {
      ...probe,
      send: (...request: Parameters<typeof probe.send>) => around(() => probe.send(...request)),
    },
    /** Records an exchange, or a request whose connection broke, of the check with the id `by`. */
    record(seen: Exchange | TransportError, by: string | undefined): void {
      capture?.write(seen instanceof TransportError ? brokenNow(seen, by) : recordedNow(seen, by))
    },
    close(): void {
      probe.close()
      capture?.close()
    },
  }
}

/** The default key of every request; made with the key command if none was given. */
async function mainKey({ options, keyMaker }: ToConnect): Promise<{ key: string; learned: string }> {
  const given = options.credentials.keys.main
  if (given !== undefined) return { key: given, learned: 'CONFORMANCE_API_KEY' }
  if (keyMaker === undefined) {
    if (options.profile === 'wire') return { key: '', learned: 'none was given' }
    throw new UsageError('set CONFORMANCE_API_KEY to a key of the target, or CONFORMANCE_KEY_COMMAND')
  }
  try {
    return { key: (await keyMaker.create()).secret, learned: 'made with the key command' }
  } catch (error) {
    if (error instanceof KeyCommandError) throw new UsageError(error.message)
    throw error
  }
}
