// The dashboard as a program sees it: pages are fetched, forms posted, in a session that ends with the work. On
// node:http, since starting `fetch` takes longer than all of it.
import { Agent, type IncomingMessage, request } from 'node:http'
import { Agent as TlsAgent, request as tlsRequest } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseRetryAfter } from '../../spec/protocol/retry.ts'
import { fields, pageElements } from './pages/page-elements.ts'
import { attributeTexts, hiddenFields } from './read-page.ts'

/** The most that is read of one page, in bytes. */
const MAX_PAGE_BYTES = 1024 * 1024

/** A request that a 503 puts off is sent so often, the first time included. */
const MAX_ATTEMPTS = 6

/** The longest that is waited for one of these, in seconds. */
const MAX_WAIT_SECONDS = 5

export interface Operator {
  /** The address of the dashboard, without a slash at its end. */
  readonly dashboard: URL
  readonly password: string
  /** Aborts what is in flight. */
  readonly signal: AbortSignal
}

/** A signed-in operator's view. All paths are relative to the dashboard, as `/keys/new`. */
export interface OperatorClient {
  /** The page at this path, or where a redirect from it leads. */
  page(path: string): Promise<string>
  /** Posts a form and returns the page that answers it, or the one behind the redirect that does. */
  post(path: string, form: Readonly<Record<string, string>>): Promise<string>
}

/**
 * Signs in, does `work`, and signs out whatever came of it. What a 503 puts off for seconds is asked again then: forms
 * are made so that sending them twice does nothing twice. Throws `Error` with what a page says is wrong, or where there
 * is no dashboard at the address.
 */
export async function asOperator<Result>(
  { dashboard, password, signal }: Operator,
  work: (client: OperatorClient) => Promise<Result>,
): Promise<Result> {
  const agent = new (dashboard.protocol === 'https:' ? TlsAgent : Agent)({ keepAlive: true, maxSockets: 1 })
  let cookie = ''
  let csrf: string | undefined

  async function send(path: string, form?: Readonly<Record<string, string>>): Promise<Answer> {
    const headers = { origin: dashboard.origin, ...(cookie !== '' && { cookie }) }
    const url = new URL(dashboard.pathname + path, dashboard)
    const answer = await exchangeInTime(url, { agent, signal, headers, form }).catch((error: unknown) => {
      throw new Error(`${dashboard.href} does not answer (${reasonOf(error, signal)})`)
    })
    cookie = answer.cookie ?? cookie
    csrf = hiddenFields(answer.page)[fields.csrf] ?? csrf
    if (answer.status === 200 || answer.status === 303) return answer
    const problems = attributeTexts(answer.page, pageElements.problem)
    throw new Error(problems.length > 0 ? problems.join(' ') : `${url.href} answered ${answer.status}`)
  }

  /** The way that a redirect shows; the session goes to no other place than the dashboard. */
  function pathOf({ location }: Answer): string {
    const url = location === undefined ? undefined : new URL(location, dashboard)
    if (url?.origin !== dashboard.origin || !url.pathname.startsWith(dashboard.pathname))
      throw new Error(`${dashboard.href} is not a dashboard of this project`)
    return url.pathname.slice(dashboard.pathname.length) + url.search
  }

  const client: OperatorClient = {
    page: async (path) => followed(await send(path)),
    post: async (path, form) => followed(await send(path, form)),
  }
  async function followed(answer: Answer): Promise<string> {
    return answer.status === 303 ? client.page(pathOf(answer)) : answer.page
  }
  try {
    pathOf(await send('/sign-in', { [fields.password]: password }))
    return await work(client)
  } finally {
    // The work is done or has failed for its own reason; a session that cannot be ended ends by itself.
    if (csrf !== undefined) await send('/sign-out', { [fields.csrf]: csrf }).catch(() => undefined)
    agent.destroy()
  }
}

interface Answer {
  readonly status: number
  /** When a 503 asks to come back, in seconds. */
  readonly retryAfter: number | undefined
  readonly location: string | undefined
  /** `name=value`, where the answer sets one. */
  readonly cookie: string | undefined
  readonly page: string
}

interface Exchange {
  readonly agent: Agent
  readonly signal: AbortSignal
  readonly headers: Readonly<Record<string, string>>
  readonly form: Readonly<Record<string, string>> | undefined
}

/** An exchange, again after each 503 that says when, as long as that is soon. */
async function exchangeInTime(url: URL, given: Exchange): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await exchange(url, given)
    const { status, retryAfter = Infinity } = answer
    if (status !== 503 || retryAfter > MAX_WAIT_SECONDS || attempt === MAX_ATTEMPTS) return answer
    await sleep(retryAfter * 1000, undefined, { signal: given.signal })
  }
}

function exchange(url: URL, { agent, signal, headers, form }: Exchange): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const method = form === undefined ? 'GET' : 'POST'
    const type = form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }
    const open = url.protocol === 'https:' ? tlsRequest : request
    open(url, { method, agent, signal, headers: { ...headers, ...type } })
      .once('error', reject)
      .once('response', (response) => readAnswer(response).then(resolve, reject))
      .end(form === undefined ? undefined : new URLSearchParams(form).toString())
  })
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > MAX_PAGE_BYTES) throw new Error(`a page of more than ${MAX_PAGE_BYTES} bytes`)
    chunks.push(bytes)
  }
  return {
    status: response.statusCode ?? 0,
    retryAfter: parseRetryAfter(response.headers['retry-after']),
    location: response.headers.location,
    cookie: response.headers['set-cookie']?.[0]?.split(';')[0],
    page: Buffer.concat(chunks).toString('utf8'),
  }
}

function reasonOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'it took too long'
  if (!(error instanceof Error)) return String(error)
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
