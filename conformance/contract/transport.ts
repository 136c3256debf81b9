// What a run hears of the world outside: over sockets, recorded while it does, or from a bundle. Cases, discovery and client
// libraries use it and cannot tell which of the three it is.
import { type Clock, systemClock } from '../../harness/clock.ts'
import { type SocketOptions, type Transport, socketTransport } from '../../harness/http/transport.ts'
import type { KeyMaker } from '../../harness/keys/key-command.ts'

export interface RunTransport {
  readonly clock: Clock
  /** Makes the transport of requests to a service. */
  connect(options: SocketOptions): Transport
  /** The key command, as the run hears it; undefined if there is none. */
  keys(command: KeyMaker | undefined): KeyMaker | undefined
}

export const live: RunTransport = {
  clock: systemClock,
  connect: socketTransport,
  keys: (command) => command,
}
