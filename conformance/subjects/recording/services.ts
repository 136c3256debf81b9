// The services of a recording: each is the part of its addresses before `/chat/completions` or `/models`, whatever it is.
// Addresses of other services, such as telemetry, are left out.
import type { RecordedExchange } from '../../exchanges/recorded-exchange.ts'
import type { Read } from '../../exchanges/har/read-archive.ts'

/** An address whose end makes the rest of it the address of a service. */
const ENDPOINT = /^(.*)\/(chat\/completions|models)\/?$/

/** A part of an address that versions an API: everything below it belongs to the service, for example `/v1`, `/v1beta/openai`. */
const VERSIONED = /\/v\d+\w*(?:\/openai)?$/

/** The endpoints of a service whose address has no version: other paths below it may be those of a web page. */
const ENDPOINT_PATH = /^\/(?:chat\/completions|models(?:\/[^/]+)?)\/?$/

/** An address of a service in front of its endpoints, for example `https://host/v1`. */
export type ServiceAddress = string

/** Collects the services of recordings. */
export function createServiceSearch() {
  const chats = new Set<ServiceAddress>()
  const lists = new Set<ServiceAddress>()
  const missing = new Set<ServiceAddress>()
  return {
    see(read: Read): void {
      const [, service, endpoint] = ENDPOINT.exec(addressOf(read) ?? '') ?? []
      if (service === undefined) return
      if (isMissing(read)) missing.add(service)
      else (endpoint === 'models' ? lists : chats).add(service)
    },
    /** The services that got requests for completions; if none did, for their models; else addresses that have nothing. */
    found: (): readonly ServiceAddress[] => [
      ...([chats, lists].find((services) => services.size > 0) ?? missing),
    ],
  }
}

/** Whether nothing may be at this address: an unknown model is a 404, too. */
function isMissing(read: Read): boolean {
  return 'exchange' in read && [404, 405].includes(read.exchange.response?.status ?? 0)
}

/** The address of a request without its query. */
export function addressOf(read: Read): string | undefined {
  const url = 'unread' in read ? read.url : read.exchange.request.url
  return url?.split(/[?#]/, 1)[0]
}

/** The addresses that a user may mean by a base address: itself, and with `/v1` behind it. */
export const meantBy = (baseUrl: string): readonly ServiceAddress[] => {
  const address = baseUrl.replace(/\/$/, '')
  return [address, `${address}/v1`]
}

/** The base address of a service as reports show it: without `/v1`. */
export const baseUrlOf = (service: ServiceAddress): string => service.replace(/\/v1$/, '')

/** The service among these to which an address belongs, the one with the longest address. */
export function serviceOf(address: string, services: readonly ServiceAddress[]): ServiceAddress | undefined {
  return services
    .filter((service) => address === service || address.startsWith(`${service}/`))
    .filter((service) => VERSIONED.test(service) || ENDPOINT_PATH.test(address.slice(service.length)))
    .toSorted((one, other) => other.length - one.length)[0]
}

/** The exchange with its path under its service as a live run has it: `/v1/chat/completions`, and any other with its query. */
export function underService(exchange: RecordedExchange, service: ServiceAddress): RecordedExchange {
  const { request } = exchange
  const path = `/v1${request.url.slice(service.length)}`.replace(
    /^(\/v1\/chat\/completions)\/?[?#].*$/s,
    '$1',
  )
  return { ...exchange, request: { ...request, path } }
}
