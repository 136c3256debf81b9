// The source of everything that a run receives: sockets, sockets that are recorded, or a bundle. Cases, discovery and client
// libraries use it and cannot distinguish the three.
import { type Clock, systemClock } from '../../harness/clock.ts'
import { type SocketOptions, type Transport, socketTransport } from '../../harness/http/transport.ts'
import type { KeyMaker } from '../../harness/keys/key-command.ts'

export interface RunTransport {
  readonly clock: Clock
  /** Makes the transport of requests to a service. */
  connect(options: SocketOptions): Transport
  /** The key command, as the run knows it; undefined if there is none. */
  keys(command: KeyMaker | undefined): KeyMaker | undefined
  /** The checks in the order in which they begin: that of the run, or of the recorded one. */
  ordered<Of extends { readonly id: string }>(checks: readonly Of[]): readonly Of[]
}

export const live: RunTransport = {
  clock: systemClock,
  connect: socketTransport,
  keys: (command) => command,
  ordered: (checks) => checks,
}
