// Rejects pages asked for under a name that is not this dashboard's: a site whose name was pointed at this machine (DNS
// rebinding) would otherwise be of the same origin as the dashboard.
import { isIP } from 'node:net'

/**
 * True where a request came for an address, for this machine by a loopback name, or for one of `names`, which are in
 * lower case. Nobody can point an address at another machine.
 */
export function isOwnHost(url: string, names: readonly string[]): boolean {
  const { hostname } = new URL(url)
  return (
    isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0 ||
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    names.includes(hostname)
  )
}
