// Opens the service under load: the given one, or a reference server with the settings of the scenario. Creates its keys
// and discovers the facts that the plan needs.
import { setTimeout as sleep } from 'node:timers/promises'
import { contentOf } from '../../harness/verify/verify-completion.ts'
import { commandWords, createKeyMaker, type KeyMaker } from '../../harness/keys/key-command.ts'
import type { Probe } from '../../harness/http/probe.ts'
import { type Exchange, header } from '../../harness/http/exchange.ts'
import { listedModels, reachService } from '../../harness/http/find-base.ts'
import type { Redactor } from '../../harness/secrets/redact.ts'
import { startKeyedServer } from '../../harness/reference-server.ts'
import { TransportError } from '../../harness/http/transport-error.ts'
import { parseRetryAfter } from '../../spec/protocol/retry.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import type { LoadTestOptions, RunOptions } from './loadtest-options.ts'
import type { RequestLimit } from '../theory/limiter-bounds.ts'

/** The model of the reference server, unless the scenario names another. */
export const ECHO_MODEL = 'svc-0.1-echo'

/** The longest accepted `Retry-After` for the first requests. */
const MAX_WAIT_SECONDS = 60

/** The role of the key for answers that are read byte for byte. */
export const SAMPLE = 'sample'

export type Environment = Readonly<Record<string, string | undefined>>

/** A load test, and its surroundings. */
export interface LoadTest<Given = LoadTestOptions> {
  readonly options: Given
  readonly env: Environment
  readonly redactor: Redactor
  readonly signal: AbortSignal
}

export type LoadTarget = Awaited<ReturnType<typeof openTarget>>

/**
 * Opens the service for a scenario whose limited keys have this limit. Throws `UsageError` if a setting is missing or the
 * service does not answer; also `StartError` and `KeyCommandError`.
 */
export async function openTarget(test: LoadTest<RunOptions>, limit: RequestLimit) {
  const { options, env, redactor, signal } = test
  const { scenario, timeoutSeconds } = options
  return await openService(test, scenario.server ?? {}, async ({ baseUrl, maker }) => {
    const ids = new Map<string, string>()
    const keys = maker === undefined ? givenKeys(options, env) : await makeKeys(maker, options, limit, ids)
    for (const secret of keys.values()) redactor.add(secret)
    const key = keys.get(SAMPLE)
    /** Revokes the key of a role. */
    const revoke = async (role: string): Promise<void> => await maker?.revoke(ids.get(role) ?? '')
    const own = options.baseUrl === undefined ? (scenario.model ?? ECHO_MODEL) : undefined
    const named = options.model ?? own
    if (key === undefined && named === undefined)
      throw new UsageError('--model is needed, or one more key in LOADTEST_KEYS to list the models')
    const { authHeader } = options
    const reaching = { baseUrl, key: key ?? '', authHeader, timeoutMs: timeoutSeconds * 1000 }
    const { probe, list, ...found } = await reachService(reaching, named, signal)
    try {
      const model = named ?? firstModel(list)
      const known =
        key === undefined ? { echoes: false, delays: false } : await discover(probe, { model, limit }, signal)
      return { ...found, model, ...known, keys, revoke }
    } finally {
      probe.close()
    }
  })
}

/** The first model of a list. Throws `UsageError` if there is none. */
export function firstModel(list: Exchange): string {
  const [first] = listedModels(list)
  if (first !== undefined) return first
  const { request, response } = list
  throw new UsageError(`GET ${request.url} lists no model (status ${response.status}): --model is needed`)
}

interface Service {
  /** The given address. */
  readonly baseUrl: string
  /** Creates keys, if that is possible. */
  readonly maker: KeyMaker | undefined
}

/**
 * Opens the given service, or starts a reference server with `settings`, and adds the facts of `discover`. The caller closes
 * it, which revokes the created keys and stops the started server. Throws `UsageError` and `StartError`.
 */
export async function openService<Facts extends { readonly baseUrl: string }>(
  { options, env, redactor, signal }: LoadTest,
  settings: Readonly<Record<string, string>>,
  discover: (service: Service) => Promise<Facts>,
) {
  const server =
    options.baseUrl === undefined ? await startKeyedServer(signal, redactor.add, { settings }) : undefined
  const baseUrl = options.baseUrl ?? server?.baseUrl ?? ''
  const maker = server?.keyMaker ?? commandMaker(env, redactor)
  const close = async (): Promise<void> => {
    await maker?.revokeAll().finally(() => server?.stop())
  }
  try {
    return { close, ...(await discover({ baseUrl, maker })) }
  } catch (error) {
    await close()
    if (error instanceof TransportError)
      throw new UsageError(`${baseUrl} cannot be reached: ${error.message}`)
    throw error
  }
}

function commandMaker(env: Environment, redactor: Redactor): KeyMaker | undefined {
  const words = commandWords(env['LOADTEST_KEY_COMMAND'] ?? '')
  return words.length === 0 ? undefined : createKeyMaker({ words, onSecret: redactor.add })
}

/** The keys in LOADTEST_KEYS, or else the one of the judge. */
export function keysOf(env: Environment): readonly string[] {
  return (env['LOADTEST_KEYS'] || env['CONFORMANCE_API_KEY'] || '')
    .split(',')
    .map((key) => key.trim())
    .filter((key) => key !== '')
}

/** The keys of the environment, by role. The operator is responsible for their limits. */
function givenKeys({ scenario }: RunOptions, env: Environment): ReadonlyMap<string, string> {
  const roles = rolesOf(scenario)
  const given = keysOf(env)
  if (scenario.name === 'rotation')
    throw new UsageError('rotation revokes a key: LOADTEST_KEY_COMMAND is needed')
  if (given.length < roles.length)
    throw new UsageError(
      `${scenario.name} needs ${roles.length} keys (${roles.join(', ')}): set LOADTEST_KEYS or LOADTEST_KEY_COMMAND, or CONFORMANCE_API_KEY for one key`,
    )
  return new Map(
    [...roles, SAMPLE].flatMap((role, index) => {
      const key = given[index]
      return key === undefined ? [] : [[role, key] as const]
    }),
  )
}

async function makeKeys(
  maker: KeyMaker,
  { scenario }: RunOptions,
  limit: RequestLimit,
  ids: Map<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const keys = new Map<string, string>()
  for (const role of [...rolesOf(scenario), SAMPLE]) {
    const made = await maker.create(scenario.limited?.includes(role) ? { limit } : {})
    keys.set(role, made.secret)
    ids.set(role, made.id)
  }
  return keys
}

/** The names of the keys of a scenario, in the order of LOADTEST_KEYS. */
export function rolesOf({ limited = [], unlimited = [] }: RunOptions['scenario']): readonly string[] {
  return [...limited, ...unlimited]
}

/** Discovers whether answers repeat the question, and whether the service can delay them. */
async function discover(
  probe: Probe,
  { model, limit }: { readonly model: string; readonly limit: RequestLimit },
  signal: AbortSignal,
) {
  const until = AbortSignal.any([signal, AbortSignal.timeout(MAX_WAIT_SECONDS * 1000)])
  const ask = async (content: string): Promise<string | undefined> => {
    const body = JSON.stringify({ model, messages: [{ role: 'user', content }] })
    const answer = await probe.send({ path: '/v1/chat/completions', body }, until)
    const { status } = answer.response
    if (status === 200) return contentOf(answer)
    // This key may be limited too. Without `Retry-After`, a request is admitted after one window.
    const seconds = parseRetryAfter(header(answer, 'retry-after')) ?? limit.windowSeconds
    if (status === 429 && seconds <= MAX_WAIT_SECONDS) {
      await sleep(seconds * 1000, undefined, { signal: until })
      return await ask(content)
    }
    throw new UsageError(`the first chat request must be answered with 200; received ${status}`)
  }
  const text = `echo ${crypto.randomUUID()}`
  const echoes = (await ask(text)) === text
  return { echoes, delays: echoes && (await ask(`#fault delay=1\n${text}`)) === text }
}
