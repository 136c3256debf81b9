// Tests of cases use this: a service that meets every row that the cases judge, written a second time and in memory. The
// faults of `fixtures/faulty` apply to it in the same way as to the reference server.
import { randomBytes } from 'node:crypto'
import { formatKey, parseAuthorization } from '../../../../../spec/protocol/key.ts'
import type { Forward } from '../../../../../fixtures/faulty/behaviour.ts'
import { bodyOfCall, isChat, jsonOfCall, promptOf } from '../../../../../fixtures/faulty/calls.ts'
import {
  type Answer,
  type Call,
  header,
  pathOf,
  withHeader,
} from '../../../../../fixtures/faulty/call-and-answer.ts'
import type { NewKeyOptions } from '../../../../../harness/keys/key-command.ts'
import type { RequestLimit } from '../../../../../harness/target-facts.ts'
import { parseChatCompletionRequest } from '../../../../../spec/schemas/parse-request.ts'
import { answer, json, refuse, complete, unsupportedField } from './completions.fixture.ts'

export const ECHO = 'svc-0.1-echo'
export const MODELS = [ECHO, 'org/svc-0.1-other'] as const

interface Key {
  readonly id: string
  readonly secret: string
  readonly models: readonly string[]
  readonly limit: RequestLimit | undefined
  revoked: boolean
  windowEndsAt: number
  used: number
}

/** Answers every call: those under `/v1` as the API, `/dashboard/keys` as the pages on which keys are managed. */
export function createService(now: () => number): Forward {
  const keys: Key[] = []
  return async (call) => {
    const path = pathOf(call)
    if (path.startsWith('/dashboard/keys')) return manageKeys(call, keys)
    if (path === '/') return answer(200, 'text/html', '<p>Hello</p>')
    if (!path.startsWith('/v1/')) return noPath()
    const credentials = parseAuthorization(header(call, 'authorization'))
    if ('problem' in credentials) return refuse(401, credentials.problem, 'A valid key is required.')
    const key = keys.find(({ secret, revoked }) => secret === credentials.key && !revoked)
    if (key === undefined) return refuse(401, 'invalid_api_key', 'The key is not valid.')
    return key.limit === undefined ? route(call, key) : limited(call, key, key.limit, now())
  }
}

const noPath = (): Answer => refuse(404, 'unknown_url', 'The path is unknown.')

/** Makes a key from JSON options and shows its id and secret on a page, or revokes one. */
function manageKeys(call: Call, keys: Key[]): Answer {
  const revoked = /^\/dashboard\/keys\/(.*)\/revoke$/.exec(pathOf(call))?.[1]
  if (revoked !== undefined) {
    for (const key of keys) if (key.id === revoked) key.revoked = true
    return answer(200, 'text/html', '<p>Revoked</p>')
  }
  const { models = MODELS, limit }: NewKeyOptions = Object(jsonOfCall(call))
  const [id, secret] = [`key_${keys.length + 1}`, formatKey(randomBytes(32))]
  keys.push({ id, secret, models, limit, revoked: false, windowEndsAt: 0, used: 0 })
  return answer(200, 'text/html', `<p>${id} ${secret}</p>`)
}

/** A fixed window that begins with its first request. Each answer reports it. */
function limited(call: Call, key: Key, { requests, windowSeconds }: RequestLimit, now: number): Answer {
  if (now >= key.windowEndsAt) {
    key.windowEndsAt = now + windowSeconds * 1000
    key.used = 0
  }
  key.used += 1
  const seconds = String(Math.ceil((key.windowEndsAt - now) / 1000))
  const given =
    key.used <= requests
      ? route(call, key)
      : withHeader(refuse(429, 'rate_limit_exceeded', 'Too many requests.'), 'retry-after', seconds)
  const reported = [
    ['x-ratelimit-limit-requests', String(requests)],
    ['x-ratelimit-reset-requests', `${seconds}s`],
  ] as const
  return { ...given, headers: [...given.headers, ...reported] }
}

function route(call: Call, key: Key): Answer {
  const path = pathOf(call)
  const models = MODELS.filter((id) => key.models.includes(id))
  if (isChat(call)) return chat(call, models)
  if (call.method !== 'GET') return noPath()
  if (path === '/v1/models') return json({ object: 'list', data: models.map(record) })
  const id = /^\/v1\/models\/([^/]+)$/.exec(path)?.[1]
  if (id === undefined) return noPath()
  const known = models.find((model) => model === decoded(id))
  return known === undefined ? noModel() : json(record(known))
}

function chat(call: Call, models: readonly string[]): Answer {
  if ((header(call, 'content-encoding') ?? 'identity') !== 'identity')
    return refuse(400, 'unsupported_encoding', 'The body is compressed.')
  const body = jsonOfCall(call)
  if (body === undefined) return refuse(400, 'invalid_json', 'The body is not valid JSON.')
  const parsed = parseChatCompletionRequest(body)
  if ('issue' in parsed) return refuse(400, parsed.issue.code, parsed.issue.message, parsed.issue.param)
  const { request } = parsed
  const field = unsupportedField(request)
  if (field !== undefined) return refuse(400, 'unsupported', `'${field}' is not supported.`, field)
  if (!models.some((id) => id === request.model)) return noModel()
  const [, fault, value] = /^#fault (status|error)=(\d+)/.exec(promptOf(bodyOfCall(call))) ?? []
  if (fault === 'status') return refuse(value === '503' ? 503 : 500, 'requested', 'The prompt asks for this.')
  return complete(request, fault === 'error')
}

const record = (id: string): object => ({ id, object: 'model', created: 1_700_000_000, owned_by: 'tests' })
const noModel = (): Answer => refuse(404, 'model_not_found', 'The model is unknown.', 'model')

function decoded(id: string): string | undefined {
  try {
    return decodeURIComponent(id)
  } catch {
    return undefined
  }
}
