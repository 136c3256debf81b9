// The bounds on connections, from the configuration and the number of files that the process may open.
import type { Config } from '../config/config.ts'
import type { ConnectionBounds } from './connections.ts'

/** The default of MAX_CONNECTIONS however much the process may open. */
const MOST_CONNECTIONS = 16_384

/** The share of the file descriptors that is left for files, databases, upstreams and child processes. */
const RESERVED_SHARE = 1 / 4

/** The bounds of one of the threads that serve the port together. */
export function connectionBounds({ connections, trustedProxies, workers }: Config): ConnectionBounds {
  const { maxConnections = defaultConnections(), writeTimeoutSeconds } = connections
  const {
    maxConnectionsPerAddress = Math.ceil(maxConnections / 2),
    closeGraceMs,
    maxDiscardedBytes,
  } = connections
  const ofThread = (all: number): number => Math.ceil(all / workers)
  return {
    maxConnections: ofThread(maxConnections),
    maxConnectionsPerAddress: ofThread(maxConnectionsPerAddress),
    trustedProxies,
    writeTimeoutMs: writeTimeoutSeconds * 1000,
    closeGraceMs,
    maxDiscardedBytes,
  }
}

function defaultConnections(): number {
  return Math.min(MOST_CONNECTIONS, Math.floor(openFiles() * (1 - RESERVED_SHARE)))
}

/** The number of file descriptors that the process may open; `Infinity` if the system does not report it. */
function openFiles(): number {
  // Otherwise the report would look up the names of all addresses.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as { userLimits?: { open_files?: { soft?: unknown } } }
  const bound = Number(userLimits?.open_files?.soft)
  return bound > 0 ? bound : Infinity
}
