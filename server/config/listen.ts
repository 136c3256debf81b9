// Opens the port of a server, and says where it is.
import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigError } from './config-error.ts'

/** The base URL where the server listens from now on. Throws `ConfigError` if it cannot. */
export async function listen(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  const listening = once(server.listen(port, host), 'listening')
  try {
    await listening
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? error.code : error
    throw new ConfigError(`cannot listen on ${host}:${port}: ${String(reason)}`)
  }
  return addressOf(server.address() as AddressInfo)
}

/** The base URL of an address; where every interface is bound, the loopback name of this machine. */
function addressOf({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return `http://localhost:${port}`
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`
}
