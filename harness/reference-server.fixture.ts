// A reference server for tests, and a key of it without a limit that a test reaches.
import { createKeyMaker } from './keys/key-command.ts'
import { openKeySession } from './keys/key-session.ts'
import { startReferenceServer } from './reference-server.ts'

/** Starts a reference server with these settings, and makes a key. */
export async function startServerWithKey(settings: Readonly<Record<string, string>> = {}) {
  const server = await startReferenceServer(new AbortController().signal, () => {}, undefined, settings)
  const session = openKeySession(server.keyCommand.words, server.keyCommand.env)
  const maker = createKeyMaker({ words: [], run: session.run, onSecret: () => {} })
  const { secret } = await maker.create({ limit: { requests: 1_000_000, windowSeconds: 60 } })
  session.close()
  return { baseUrl: server.baseUrl, key: secret, [Symbol.asyncDispose]: server.stop }
}
