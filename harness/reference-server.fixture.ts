// A reference server for tests, and a key of it without a limit that a test reaches.
import { settingsFor, startKeyedServer } from './reference-server.ts'

/** Starts a reference server with these settings, and makes a key. It serves the echo model alone, unless they say otherwise. */
export async function startServerWithKey(settings: Readonly<Record<string, string>> = {}) {
  const server = await startKeyedServer(new AbortController().signal, () => {}, {
    settings: { ...settingsFor(), ...settings },
  })
  const { secret } = await server.keyMaker.create({ limit: { requests: 1_000_000, windowSeconds: 60 } })
  return { baseUrl: server.baseUrl, key: secret, [Symbol.asyncDispose]: server.stop }
}
