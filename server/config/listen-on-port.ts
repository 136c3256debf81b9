// Opens the port of a server, and returns its address.
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { UsageError, whyNotListening } from '../../harness/cli/usage-error.ts'

interface Address {
  readonly host: string
  readonly port: number
  /** Whether workers of this process listen there too, each with a server of its own. */
  readonly reusePort?: boolean
}

/**
 * The queue of new connections is as long as the system allows, because a client whose connection does not fit into it
 * is not refused but waits for retries of TCP, which come seconds apart. `Connections` bounds the open connections.
 */
const BACKLOG = 65_535

/** The base URL where the server listens from now on. Throws `UsageError` if it cannot. */
export async function listen(server: Server, { host, port, reusePort = false }: Address): Promise<string> {
  try {
    await once(server.listen({ host, port, reusePort, backlog: BACKLOG }), 'listening')
  } catch (error) {
    if (reusePort && Object(error).code === 'ENOTSUP')
      throw new UsageError(
        'WORKERS: this system cannot share a port between workers; use 1, and start several instances behind a balancer',
      )
    throw new UsageError(`cannot listen on ${host}:${port}: ${whyNotListening(error, port)}`)
  }
  return addressOf(server.address() as AddressInfo)
}

/** Throws `UsageError` if the port is in use, because workers would share it with another program of this user without an error. */
export async function assertFree(address: Address): Promise<void> {
  const server = createServer()
  await listen(server, { ...address, reusePort: false })
  await once(server.close(), 'close')
}

/** The base URL of an address, with `localhost` if every interface is bound. */
function addressOf({ address, family, port }: AddressInfo): string {
  if (address === '0.0.0.0' || address === '::') return `http://localhost:${port}`
  return family === 'IPv6' ? `http://[${address}]:${port}` : `http://${address}:${port}`
}
