// The address of the client. `X-Forwarded-For` is read from trusted proxies only, because any other client could
// write anything there.
import { BlockList, isIP } from 'node:net'
import { getConnInfo } from '@hono/node-server/conninfo'
import type { Context } from 'hono'

/** The most addresses that are read of one `X-Forwarded-For`; a longer chain of proxies is not plausible. */
const MAX_HOPS = 32

/** Whether an address is one of a trusted proxy. */
export type TrustedProxies = (address: string) => boolean

/** Reads addresses and networks (`10.0.0.0/8`), separated by commas. Throws `RangeError` that names the one at fault. */
export function readTrustedProxies(text: string): TrustedProxies {
  const list = new BlockList()
  const entries = text.split(',').map((entry) => entry.trim())
  for (const entry of entries.filter((entry) => entry !== '')) {
    const [, written = '', bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(entry) ?? []
    const address = plainAddress(written)
    const family = familyOf(address)
    const width = familyWidth(address)
    // An IPv4 network in the notation of IPv6 has 96 bits more.
    const prefix = Number(bits ?? familyWidth(written)) - (familyWidth(written) - width)
    if (family === undefined || prefix < 0 || prefix > width) throw new RangeError(entry)
    list.addSubnet(address, prefix, family)
  }
  return (address) => list.check(address, familyOf(address) ?? 'ipv4')
}

/**
 * The address of the client: that of the socket, or, if this is a trusted proxy, the last address of
 * `X-Forwarded-For` that is not one. If an entry is not an address, the proxy that sent it counts as the client.
 */
export function clientAddress(
  socket: string,
  forwarded: string | undefined,
  trusted: TrustedProxies,
): string {
  let address = plainAddress(socket)
  const hops = (forwarded ?? '').split(',').slice(-MAX_HOPS)
  for (const hop of hops.toReversed()) {
    if (!trusted(address)) break
    const next = plainAddress(hop.trim())
    if (isIP(next) === 0) break
    address = next
  }
  return address
}

/** Returns the address of a request; `unknown` if there is no socket, for example in a test. */
export function clientAddressOf(trusted: TrustedProxies): (c: Context) => string {
  return (c) => clientAddress(socketAddress(c), c.req.header('x-forwarded-for'), trusted)
}

/** Groups addresses among which one user can choose: IPv6 addresses by /64; an IPv4 address, or another text, is its own group. */
export function networkOf(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail = ''] = canonicalAddress(address).split('::')
  const before = head === '' ? [] : head.split(':')
  const after = tail === '' ? [] : tail.split(':')
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after]
  return `${groups.slice(0, 4).join(':')}::/64`
}

function socketAddress(c: Context): string {
  try {
    return getConnInfo(c).remote.address ?? 'unknown'
  } catch {
    return 'unknown'
  }
}

/** An IPv4 address that came over IPv6 (`::ffff:192.0.2.1`, in any of its notations) as itself. */
function plainAddress(address: string): string {
  if (isIP(address) !== 6) return address
  const [, high, low] = /^::ffff:([\da-f]+):([\da-f]+)$/.exec(canonicalAddress(address)) ?? []
  if (high === undefined || low === undefined) return address
  const bytes = [high, low].map((group) => Number.parseInt(group, 16)).flatMap((n) => [n >> 8, n & 255])
  return bytes.join('.')
}

/** An IPv6 address without its zone, in the one notation that a URL has for it. */
function canonicalAddress(address: string): string {
  return new URL(`http://[${address.split('%', 1)[0]}]`).hostname.slice(1, -1)
}

function familyWidth(address: string): number {
  return isIP(address) === 6 ? 128 : 32
}

function familyOf(address: string): 'ipv4' | 'ipv6' | undefined {
  return ({ 4: 'ipv4', 6: 'ipv6' } as const)[isIP(address)]
}
