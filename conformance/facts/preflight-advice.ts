// Advice on an address, a key or a model that cannot be judged: each message is one line with the answer and the
// remedy.
import { KEY_PREFIX } from '../../spec/protocol/key.ts'
import { type Exchange, header, text } from '../../harness/http/exchange.ts'
import { codeOf } from '../../harness/http/send-once.ts'
import type { TransportError } from '../../harness/http/transport-error.ts'
import type { Profile } from '../../harness/target-facts.ts'
import { showBody } from '../../harness/verify/verify.ts'

/** The most models that a message lists. */
const MOST_LISTED = 8

/** The values by which a target is reached. */
interface Given {
  readonly baseUrl: string
  readonly key: string
  readonly profile: Profile
}

/** The reason for a missing answer, and the remedy. */
export function adviceOn(error: TransportError, baseUrl: string): string {
  const code = codeOf(error.cause)
  const isTls = baseUrl.startsWith('https:')
  if (isTls && (code === 'EPROTO' || code.startsWith('ERR_SSL')))
    return `the port does not speak TLS (${code}): try http:// as --base-url`
  const flag = error.request.body === undefined ? '--timeout' : '--warm-up'
  if (error.isLate) return `${error.message}: does it run? If it is slow, raise ${flag}`
  // Most servers of TLS break a plain connection.
  if (!isTls && (code === 'HPE_INVALID_CONSTANT' || !error.isSilence))
    return `${error.message}: if the port expects TLS, try https:// as --base-url`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `its certificate is for another host: ${error.message}`
  if (code === 'CERT_HAS_EXPIRED') return `its certificate has expired (${code})`
  if (/CERT|SIGNATURE/.test(code))
    return `${error.message}: name the authority that signed it in NODE_EXTRA_CA_CERTS or SSL_CERT_FILE`
  return error.message
}

/** Returns the fault of the address or the key that an answer shows; undefined if it shows none. */
export function faultOf(exchange: Exchange, { key, profile }: Given): string | undefined {
  const { status } = exchange.response
  const asked = requestOf(exchange)
  const location = header(exchange, 'location')
  const target = location === undefined ? null : URL.parse(location, exchange.request.url)
  if (status >= 300 && status < 400 && target !== null) {
    const root = target.href.replace(/(\/v1)?\/(models|chat\/completions).*$/, '')
    return `${asked} is redirected (${status}): give the address itself as --base-url, which may be ${root}`
  }
  if (status === 401 || status === 403)
    return `${asked} was refused with ${status}: ${adviceOnKey(key, profile)}`
  if (status === 400 && /\bHTTPS (port|server)\b/.test(text(exchange) ?? ''))
    return `${asked} was refused because the port expects TLS: try https:// as --base-url`
  if (isDown(exchange))
    return `${asked} was answered with ${status}: the gateway or the service behind it is down`
  const isPage =
    /^text\/html/i.test(header(exchange, 'content-type') ?? '') ||
    /^\s*<(!doctype html|html)/i.test(text(exchange) ?? '')
  if (isPage)
    return `${asked} was answered with an HTML page (${status}): give the address of the API as --base-url`
  return undefined
}

/** Returns the possible fault of a refused key, by its form; never shows the key itself. */
function adviceOnKey(key: string, profile: Profile): string {
  const name = 'CONFORMANCE_API_KEY'
  if (key === '') return `set ${name} to a key of the target`
  if (/^["'`]|["'`]$/.test(key))
    return `${name} is in quotes, which are taken for a part of the key: leave them out`
  if (/^bearer/i.test(key)) return `${name} begins with "Bearer": give the key alone`
  if (/[=$]/.test(key.slice(0, 1)) || /^[A-Z_]+=/.test(key))
    return `${name} looks like an assignment of a shell: give the key alone`
  if (profile === 'service' && !key.startsWith(KEY_PREFIX))
    return `${name} does not begin with ${KEY_PREFIX}, as every key does (KEY-1)`
  return `${name} is not a valid key of this target`
}

/** Whether a gateway answered in place of the service behind it. */
export function isDown({ response: { status } }: Exchange): boolean {
  return status === 502 || status === 503 || status === 504
}

/** Neither the list of models nor chat is under the address. */
export function noService(list: Exchange, chat: Exchange, { baseUrl }: Given): string {
  const answers = [list, chat].map((one) => `${requestOf(one)}: ${one.response.status}`).join(', ')
  return `there is no API under ${baseUrl} (${answers}): give the address of the API with its path as --base-url`
}

export function noModel(list: Exchange): string {
  const answer = `status ${list.response.status}, ${showBody(list)}`
  return `no model is known: name one with --model. (GET ${list.request.url}: ${answer})`
}

/** The target refuses a model that it does not list. */
export function unknownModel(model: string, chat: Exchange, listed: readonly string[]): string {
  const more = listed.length > MOST_LISTED ? ` and ${listed.length - MOST_LISTED} more` : ''
  const lists =
    listed.length === 0 ? 'lists no models' : `lists ${listed.slice(0, MOST_LISTED).join(', ')}${more}`
  return `--model: the model ${model} is unknown to the service, which ${lists} (${requestOf(chat)}: status ${chat.response.status}, ${showBody(chat)})`
}

const requestOf = ({ request: { method, url } }: Exchange): string => `${method} ${url}`
