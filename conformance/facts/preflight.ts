// Before anything is judged: the target is reached, its address and the key are right, and a model that chats is found.
// Whatever is wrong is one line that says what to do.
import { KEY_PREFIX } from '../../spec/protocol/key.ts'
import { type Exchange, header, isCut, json, text } from '../../harness/http/exchange.ts'
import type { RequestSpec } from '../../harness/http/probe.ts'
import { codeOf } from '../../harness/http/send-once.ts'
import { TransportError } from '../../harness/http/transport-error.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { at } from '../../harness/json-value.ts'
import { showBody } from '../../harness/verify/verify.ts'
import type { Profile } from '../../harness/target-facts.ts'
import { Inconclusive } from '../contract/outcome.ts'
import { CHAT_PATH } from '../contract/target.ts'
import { findBase, listedModels } from '../../harness/http/find-base.ts'
import { urlAt } from '../../harness/http/service-address.ts'
import { listedContext, smallestChats } from './listed-models.ts'

/** The most listed models that are asked whether they chat: some embed, draw or transcribe. */
const MOST_MODELS = 10

export interface PreflightOptions {
  /** The given address. */
  readonly baseUrl: string
  readonly profile: Profile
  readonly key: string
  readonly model: string | undefined
  /** Sends a request; obeys 429s. */
  readonly ask: (request: RequestSpec) => Promise<Exchange>
  /** Gets the address of the service as soon as it is found: the next requests go there. */
  readonly onFound: (baseUrl: string) => void
  /** The time limit of the list of models, and that of a chat, which may have to load the model; in milliseconds. */
  readonly timeoutMs: number
  readonly warmUpMs: number
}

/** Reaches a target. Throws `UsageError` if it cannot be judged. */
export async function preflight(options: PreflightOptions) {
  const { model } = options
  const { baseUrl, list } = await reach(options, () =>
    findBase(options.baseUrl, (request) => askTwice(request, options), model),
  )
  options.onFound(baseUrl)
  const listed = listedModels(list)
  if (model === undefined) refuseCut(list, options)
  if (model === undefined && listed.length === 0)
    throw new UsageError(faultOf(list, options) ?? noModel(list))
  const found = (id: string, how: string, answered?: Exchange) => ({
    baseUrl,
    /** The addresses of the operations, for the report. */
    addresses: ['/v1/models', CHAT_PATH].map((path) => urlAt(baseUrl, path)),
    model: id,
    /** How the model became known, for the report. */
    learned: how,
    /** The answer to a small chat request, if one was sent. */
    answered,
    /** The context of the model if the list names it, in tokens. */
    contextTokens: listedContext(list, id),
  })
  const [first = '', ...others] = model === undefined ? listed : [model]
  const learned = model === undefined ? 'the first that GET /v1/models lists' : '--model'
  // Nothing to choose, and the list shows that address and key are right: chat is judged by the rows of chat.
  if (listed.length > 0 && others.length === 0) return found(first, learned)

  for (const candidate of [first, ...others].slice(0, MOST_MODELS)) {
    const chat = await reach(options, () => firstChat(candidate, options))
    refuseCut(chat, options)
    const { status } = chat.response
    const how = candidate === first ? learned : 'the first that GET /v1/models lists and that chats'
    if (status >= 200 && status < 300) return found(candidate, how, chat)
    const fault = listed.length > 0 ? undefined : faultOf(list, options) && faultOf(chat, options)
    if (fault !== undefined) throw new UsageError(fault)
  }
  return found(first, learned)
}

/** Asks for the list of models, and once more if no answer comes: if that was late, for half of the time. A chat may load a model. */
async function askTwice(
  request: RequestSpec,
  { ask, timeoutMs, warmUpMs }: PreflightOptions,
): Promise<Exchange> {
  if (request.body !== undefined) return ask({ ...request, timeoutMs: warmUpMs })
  return ask({ ...request, timeoutMs }).catch((error: unknown) => {
    if (!(error instanceof TransportError)) throw error
    return ask({ ...request, timeoutMs: timeoutMs / 2 }).catch(() => {
      throw error
    })
  })
}

/** The answer to the first of the smallest chat requests that is not refused with a 400; else to the last. */
async function firstChat(model: string, { ask, warmUpMs }: PreflightOptions): Promise<Exchange> {
  const [first, ...others] = smallestChats(model)
  let answer = await ask({ ...first, timeoutMs: warmUpMs })
  for (const request of others)
    if (answer.response.status === 400) answer = await ask({ ...request, timeoutMs: warmUpMs })
  return answer
}

/** Returns what the target answers. Throws `UsageError` if nothing comes. */
async function reach<Answer>({ baseUrl }: PreflightOptions, ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof TransportError)
      throw new UsageError(`${baseUrl} cannot be judged: ${adviceOn(error, baseUrl)}`)
    if (error instanceof Inconclusive) throw new UsageError(`${baseUrl} cannot be judged: ${error.message}`)
    throw error
  }
}

/** Throws `UsageError` if an answer did not come whole, also when asked again. */
function refuseCut(exchange: Exchange, { baseUrl }: PreflightOptions): void {
  if (!isCut(exchange)) return
  const { method, url } = exchange.request
  throw new UsageError(
    `${baseUrl} cannot be judged: the answer to ${method} ${url} was cut (${exchange.response.end})`,
  )
}

/** Explains why no answer came, and what to do. */
function adviceOn(error: TransportError, baseUrl: string): string {
  const code = codeOf(error.cause)
  const isTls = baseUrl.startsWith('https:')
  if (isTls && (code === 'EPROTO' || code.startsWith('ERR_SSL')))
    return `the port does not speak TLS (${code}): try http:// as --base-url`
  if (error.isLate) return `${error.message}: does it run? If it is slow, raise --timeout or --warm-up`
  if (!isTls && code === 'HPE_INVALID_CONSTANT')
    return `${error.message}: does the port expect https:// as --base-url?`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return `its certificate is for another host: ${error.message}`
  if (code === 'CERT_HAS_EXPIRED') return `its certificate has expired (${code})`
  if (/CERT|SIGNATURE/.test(code))
    return `${error.message}: name the authority that signed it in NODE_EXTRA_CA_CERTS or SSL_CERT_FILE`
  return error.message
}

/** Returns what an answer shows to be wrong with the address or the key; undefined if nothing is. */
function faultOf(exchange: Exchange, { baseUrl, key, profile }: PreflightOptions): string | undefined {
  const { status } = exchange.response
  const asked = `${exchange.request.method} ${exchange.request.url}`
  const location = header(exchange, 'location')
  const target = location === undefined ? null : URL.parse(location, exchange.request.url)
  if (status >= 300 && status < 400 && target !== null) {
    const root = target.href.replace(/(\/v1)?\/(models|chat\/completions).*$/, '')
    return `${asked} is redirected (${status}): give the address itself as --base-url, which may be ${root}`
  }
  if (status === 401 || status === 403)
    return `${asked} was refused with ${status}: ${adviceOnKey(key, profile)}`
  const isPage =
    /^text\/html/i.test(header(exchange, 'content-type') ?? '') ||
    /^\s*<(!doctype html|html)/i.test(text(exchange) ?? '')
  if (isPage)
    return `${asked} was answered with an HTML page (${status}): give the address of the API as --base-url`
  if (status === 404 && at(json(exchange), 'error') === undefined)
    return `${asked} was answered with 404: there is no API under ${baseUrl}; give its path in --base-url, or --model where the service lists no models`
  return undefined
}

/** Returns what may be wrong with a refused key, by its form; the key itself is never shown. */
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

function noModel(list: Exchange): string {
  const answer = `status ${list.response.status}, ${showBody(list)}`
  return `no model is known: name one with --model. (GET ${list.request.url}: ${answer})`
}
