// The address of a service, and the addresses of its operations. The judge names an operation by its path in the
// specification, for example `/v1/models`; a service may have it under any path, with any query.
//
// An address is one of three: a root, under which `/v1` follows (`http://host`); a base that ends in a version
// (`http://host/api/v3`); or a base without one, which ends in a slash (`http://host/deployments/name/?api-version=1`).

/** A segment that versions an API at the end of a path, also before the `openai` of services with a format of their own. */
const VERSION = /(?<!:\/)\/v\d+(?:\.\d+)*(?:[a-z]+\d*)?(?=(?:\/openai)?$)/i

/** The part of the paths of the specification that stands for the base of a service. */
const API = /^\/v1(?=[/?#]|$)/

/** Whether the path of an address ends in a version, so that it needs no `/v1`. */
export function isVersioned(address: string): boolean {
  return VERSION.test(partsOf(address).path)
}

/** The address of a service that has its operations directly under it. */
export function asBase(address: string): string {
  const { path, query } = partsOf(address)
  return `${path}/${query}`
}

/** The address as reports show it: as a root if it is one, with or without its `/v1`. */
export function shownAddress(address: string): string {
  return address.replace(/\/v1$/, '')
}

/**
 * The URL of a path at a service; the base of the address replaces `/v1`. A path outside of `/v1` is under the root of
 * the service; the query of the address comes first.
 */
export function urlAt(address: string, path: string): string {
  const { path: own, query } = partsOf(address)
  const base = baseOf(own)
  const url = API.test(path) ? base + path.replace(API, '') : base.replace(VERSION, '') + path
  const [, place = '', more = '', rest = ''] = /^([^?#]*)(\?[^#]*)?(.*)$/s.exec(url) ?? []
  if (query === '' || `${more}&`.startsWith(`${query}&`)) return url
  return `${place}${query}${more.replace('?', '&')}${rest}`
}

/** The path of the specification for a path that a client sends to a service with this address; `urlAt` is the inverse. */
export function pathAt(address: string, sent: string): string {
  const base = targetOf(baseOf(partsOf(address).path))
  const isUnder = base === '' ? !API.test(sent) : sent.startsWith(`${base}/`)
  return isUnder ? `/v1${sent.slice(base.length)}` : sent
}

/** The path, query and fragment of a URL, as they are written. */
export function targetOf(url: string): string {
  return url.replace(/^\w+:\/\/[^/?#]*/, '')
}

/** The address under which the operations are, from the path of an address. */
function baseOf(path: string): string {
  if (path.endsWith('/')) return path.slice(0, -1)
  return VERSION.test(path) ? path : `${path}/v1`
}

/** Splits an address before its query. */
function partsOf(address: string): { readonly path: string; readonly query: string } {
  const at = address.indexOf('?')
  return at === -1 ? { path: address, query: '' } : { path: address.slice(0, at), query: address.slice(at) }
}
