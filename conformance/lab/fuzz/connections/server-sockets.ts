// The sockets of a server as the kernel of Linux lists them; unknown on other systems and for a server on another machine.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { waitsUntil } from '../../../../harness/waiting.ts'

/** How long a list of the kernel is cached, in milliseconds. */
const LIST_MS = 100

/** The states of a socket in the lists of the kernel. */
const ESTABLISHED = '01'

/** Shows whether a server still has a connection open, which its client cannot always see. */
export interface ServerSockets {
  /** Whether a process has the other end of the connection from this local port open; undefined if that is unknown. */
  holds(clientPort: number): boolean | undefined
}

/** The sockets that a service on this machine accepted at the port of its address. */
export function serverSockets(baseUrl: string): ServerSockets {
  const { protocol, port } = new URL(baseUrl)
  const serverPort = Number(port) || (protocol === 'https:' ? 443 : 80)
  let held: ReadonlySet<number> | undefined
  let isKnown = false
  let readAt = -Infinity
  return {
    holds(clientPort) {
      if (performance.now() - readAt > LIST_MS) {
        held = heldPorts(serverPort)
        isKnown ||= (held?.size ?? 0) > 0
        readAt = performance.now()
      }
      return isKnown ? held?.has(clientPort) : undefined
    },
  }
}

/** The ports of the clients whose connections are still held at this port. */
function heldPorts(serverPort: number): ReadonlySet<number> | undefined {
  const lists = ['/proc/net/tcp', '/proc/net/tcp6'].map(read)
  if (lists.every((list) => list === '')) return undefined
  const ports = new Set<number>()
  for (const line of lists.join('\n').split('\n')) {
    const [, local = '', remote = '', state, , , , , , inode] = line.trim().split(/\s+/)
    if (portOf(local) !== serverPort) continue
    // A socket that was closed but has bytes to send has no inode. Neither has one that waits to be accepted.
    if (inode !== '0' || state === ESTABLISHED) ports.add(portOf(remote))
  }
  return ports
}

const portOf = (address: string): number => Number.parseInt(address.split(':').at(-1) ?? '', 16)

/** Compares the number of sockets of a process now with that at the call of `settle`. */
export function watchSockets(pid: number | undefined) {
  const start = socketsOf(pid)
  return {
    /** Waits until there are no more than at the start, at most `settleMs`. Undefined if the process is not known. */
    async settle(settleMs: number, signal: AbortSignal) {
      if (start === undefined) return undefined
      const enough = AbortSignal.any([signal, AbortSignal.timeout(settleMs)])
      const now = (): number => socketsOf(pid) ?? 0
      await waitsUntil(async () => now() <= start, { signal: enough })
      return { start, end: now() }
    },
  }
}

/** The number of sockets that a process holds; undefined if it cannot be read. */
function socketsOf(pid: number | undefined): number | undefined {
  try {
    const folder = `/proc/${pid}/fd`
    return readdirSync(folder).filter((name) => linkOf(`${folder}/${name}`).startsWith('socket:')).length
  } catch {
    return undefined
  }
}

/** The most files and sockets that this process may open, as `ulimit -n` shows it; undefined if that is unknown. */
export function openFilesLimit(): number | undefined {
  const [, limit] = /^Max open files\s+(\d+)/m.exec(read('/proc/self/limits')) ?? []
  return limit === undefined ? undefined : Number(limit)
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file)
  } catch {
    return ''
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
