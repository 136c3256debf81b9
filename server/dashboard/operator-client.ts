// Posts forms to the dashboard as a signed-in operator and reads its answers as JSON. It uses node:http because loading
// `fetch` takes longer than all requests of a command.
import { Agent, type IncomingMessage, request } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseRetryAfter } from '../../spec/protocol/retry.ts'
import { parseJson } from '../engines/text/parse-json.ts'
import { fields } from './form-fields.ts'

/** The largest answer that is read, in bytes. */
const MAX_ANSWER_BYTES = 64 * 1024

/** Maximum attempts of a request that is answered with a 503. */
const MAX_ATTEMPTS = 6

/** The longest wait between two attempts, in seconds. */
const MAX_WAIT_SECONDS = 5

export interface Operator {
  /** The address of the dashboard, without a slash at its end. */
  readonly dashboard: URL
  readonly password: string
  /** Aborts requests in flight. */
  readonly signal: AbortSignal
}

type Form = Readonly<Record<string, string>>

/** Posts a form to a path of the dashboard, for example `/keys`, and resolves to its answer. */
export type Post = (path: string, form: Form) => Promise<object>

/** Gets a path of the dashboard, for example `?state=all`. */
export type Get = (path: string) => Promise<object>

/**
 * Signs in, does `work`, and always signs out. A 503 with a short `Retry-After` is retried; posting a form of the
 * dashboard twice has no second effect. Throws `Error` with the problems that the dashboard reports, or if the address is
 * not that of a dashboard.
 */
export async function asOperator<Result>(
  { dashboard, password, signal }: Operator,
  work: (post: Post, get: Get) => Promise<Result>,
): Promise<Result> {
  const agent = new (dashboard.protocol === 'https:' ? TlsAgent : Agent)({ keepAlive: true, maxSockets: 1 })
  let cookie: string | undefined

  async function send(path: string, form?: Form): Promise<object> {
    const headers = {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      origin: dashboard.origin,
      ...(cookie !== undefined && { cookie }),
    }
    const url = new URL(dashboard.pathname + path, dashboard)
    const answer = await postWithRetries(url, { agent, signal, headers }, form).catch((error: unknown) => {
      throw new Error(`${dashboard.href} does not answer (${reasonOf(error, signal)})`)
    })
    cookie = answer.cookie ?? cookie
    const { status, body } = answer
    const parsed = parseJson(body)
    const data = typeof parsed === 'object' && parsed !== null ? parsed : undefined
    if (data !== undefined && 'problems' in data && Array.isArray(data.problems))
      throw new Error(data.problems.join(' '))
    if (status >= 400) throw new Error(`${url.href} answered ${status}`)
    if (data === undefined) throw new Error(`${dashboard.href} is not a dashboard of this project`)
    return data
  }

  let csrf: string | undefined
  try {
    const session = await send('/sign-in', { [fields.password]: password })
    const token = 'csrf' in session ? String(session.csrf) : ''
    csrf = token
    return await work(
      (path, form) => send(path, { ...form, [fields.csrf]: token }),
      (path) => send(path),
    )
  } finally {
    // A session that cannot be ended here expires by itself.
    if (csrf !== undefined) await send('/sign-out', { [fields.csrf]: csrf }).catch(() => undefined)
    agent.destroy()
  }
}

type DashboardAnswer = Awaited<ReturnType<typeof readAnswer>>

interface RequestOptions {
  readonly agent: Agent
  readonly signal: AbortSignal
  readonly headers: Form
}

async function postWithRetries(
  url: URL,
  options: RequestOptions,
  form: Form | undefined,
): Promise<DashboardAnswer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await post(url, options, form)
    const { status, retryAfter = Infinity } = answer
    if (status !== 503 || retryAfter > MAX_WAIT_SECONDS || attempt === MAX_ATTEMPTS) return answer
    await sleep(retryAfter * 1000, undefined, { signal: options.signal })
  }
}

function post(url: URL, options: RequestOptions, form: Form | undefined): Promise<DashboardAnswer> {
  return new Promise((resolve, reject) => {
    const open = url.protocol === 'https:' ? tlsRequest : request
    open(url, { method: form === undefined ? 'GET' : 'POST', ...options })
      .once('error', reject)
      .once('response', (response) => readAnswer(response).then(resolve, reject))
      .end(form && new URLSearchParams(form).toString())
  })
}

async function readAnswer(response: IncomingMessage) {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > MAX_ANSWER_BYTES) throw new Error(`an answer of more than ${MAX_ANSWER_BYTES} bytes`)
    chunks.push(bytes)
  }
  return {
    status: response.statusCode ?? 0,
    /** The wait that a 503 asks for, in seconds. */
    retryAfter: parseRetryAfter(response.headers['retry-after']),
    /** `name=value`, if the answer sets a cookie. */
    cookie: response.headers['set-cookie']?.[0]?.split(';')[0],
    body: Buffer.concat(chunks).toString('utf8'),
  }
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'it took too long'
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
