// Before anything is judged: the target is reached, its address and the key are right, and a model that chats is found.
// If not, the error is one line that says what to do. A service that refuses or breaks its valid requests is judged.
import { type Exchange, isCut, json } from '../../harness/http/exchange.ts'
import type { RequestSpec } from '../../harness/http/probe.ts'
import { TransportError } from '../../harness/http/transport-error.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { at } from '../../harness/json-value.ts'
import type { Profile } from '../../harness/target-facts.ts'
import { Inconclusive } from '../contract/outcome.ts'
import { CHAT_PATH } from '../contract/target.ts'
import { blamesModel, findBase, isAbsent, listedModels } from '../../harness/http/find-base.ts'
import { urlAt } from '../../harness/http/service-address.ts'
import { listedContext, smallestChats } from './listed-models.ts'
import { adviceOn, faultOf, isDown, noModel, noService, unknownModel } from './preflight-advice.ts'

/** The most listed models that are asked whether they chat: some embed, draw or transcribe. */
const MOST_MODELS = 10

/** The pauses before a target behind a gateway that reports it as down is asked again, in milliseconds: it may restart. */
const DOWN_PAUSES_MS: readonly number[] = [1_000, 2_000]

/** A name that no service gives a model. */
const NO_MODEL = 'touchstone-no-model'

export interface PreflightOptions {
  /** The given address. */
  readonly baseUrl: string
  readonly profile: Profile
  readonly key: string
  readonly model: string | undefined
  /** Sends a request; obeys 429s. */
  readonly ask: (request: RequestSpec) => Promise<Exchange>
  /** Waits, in milliseconds. */
  readonly pause: (ms: number) => Promise<void>
  /** Gets the address of the service as soon as it is found: the next requests go there. */
  readonly onFound: (baseUrl: string) => void
  /** The time limit of the list of models, and that of a chat, which may have to load the model; in milliseconds. */
  readonly timeoutMs: number
  readonly warmUpMs: number
}

/** Reaches a target. Throws `UsageError` if it cannot be judged. */
export async function preflight(options: PreflightOptions) {
  for (const ms of DOWN_PAUSES_MS) {
    try {
      return await reachOnce(options)
    } catch (error) {
      if (!(error instanceof Down)) throw error
      await options.pause(ms)
    }
  }
  return reachOnce(options)
}

/** Nothing but a gateway answered. */
class Down extends UsageError {}

async function reachOnce(options: PreflightOptions) {
  const { model } = options
  const { baseUrl, list } = await reach(options, () =>
    findBase(options.baseUrl, (request) => askTwice(request, options), model),
  )
  options.onFound(baseUrl)
  const listed = listedModels(list)
  if (model === undefined) refuseCut(list, options)
  if (model === undefined && listed.length === 0) return refuseWithoutModel(list, options)
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
  if (listed.length > 0 && !listed.includes(first))
    return found(first, learned, await chatOfUnlisted(first, listed, options))
  // There is no other model, and the list shows that address and key are right: the rows of chat judge the chat.
  if (listed.length > 0 && others.length === 0) return found(first, learned)

  for (const candidate of [first, ...others].slice(0, MOST_MODELS)) {
    const chat = await reach(options, () => firstChat(candidate, options))
    refuseCut(chat, options)
    const how = candidate === first ? learned : 'the first that GET /v1/models lists and that chats'
    if (isSuccess(chat)) return found(candidate, how, chat)
    if (listed.length === 0) refuseUnserved(list, chat, candidate, options)
  }
  return found(first, learned)
}

const isSuccess = ({ response: { status } }: Exchange): boolean => status >= 200 && status < 300

/** Throws `UsageError`: no model is given, and none is listed. */
async function refuseWithoutModel(list: Exchange, options: PreflightOptions): Promise<never> {
  throwFault(list, options)
  if (isAbsent(list)) {
    const chat = await reach(options, () => firstChat(NO_MODEL, options))
    if (isAbsent(chat) && !blamesModel(chat)) throw new UsageError(noService(list, chat, options))
  }
  throw new UsageError(noModel(list))
}

/** Throws `UsageError` if neither the list nor a chat with the given model shows that the address has a service. */
function refuseUnserved(list: Exchange, chat: Exchange, model: string, options: PreflightOptions): void {
  if (isAbsent(list) && isAbsent(chat))
    throw new UsageError(blamesModel(chat) ? unknownModel(model, chat, []) : noService(list, chat, options))
  const isBare = isAbsent(list) && at(json(list), 'error') === undefined
  if (isBare || isDown(chat) || faultOf(list, options) !== undefined) throwFault(chat, options)
}

function throwFault(exchange: Exchange, options: PreflightOptions): void {
  const fault = faultOf(exchange, options)
  if (fault !== undefined) throw isDown(exchange) ? new Down(fault) : new UsageError(fault)
}

/**
 * Returns the answer to a chat with a model that the target does not list; undefined if the target may know it. Throws `UsageError`
 * if the target does not know that model: it answers with 404, or refuses the same request that it grants for a listed model.
 */
async function chatOfUnlisted(model: string, listed: readonly string[], options: PreflightOptions) {
  const tryChat = (id: string): Promise<Exchange | undefined> =>
    firstChat(id, options).catch((error: unknown) => {
      if (error instanceof TransportError || error instanceof Inconclusive) return undefined
      throw error
    })
  const chat = await tryChat(model)
  if (chat === undefined || isSuccess(chat)) return chat
  const { status } = chat.response
  if (status >= 500) return undefined
  const [other = ''] = listed
  const known = status === 404 ? undefined : await tryChat(other)
  if (status === 404 || (known !== undefined && isSuccess(known)))
    throw new UsageError(unknownModel(model, chat, listed))
  return undefined
}

/** Sends a request, and again with half of the time if no answer comes; a chat, which may load a model, only once. */
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

/** Returns the first answer to the smallest chat requests that is not a 400, or else the last answer. */
async function firstChat(model: string, { ask, warmUpMs }: PreflightOptions): Promise<Exchange> {
  const [first, ...others] = smallestChats(model)
  let answer = await ask({ ...first, timeoutMs: warmUpMs })
  for (const request of others)
    if (answer.response.status === 400) answer = await ask({ ...request, timeoutMs: warmUpMs })
  return answer
}

/** Returns the answer of the target. Throws `UsageError` if there is none. */
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
