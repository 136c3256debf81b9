// The processes of a recipe: its installation and its server, each ended with all of its children, however a run ends.
import { randomBytes } from 'node:crypto'
import { mkdirSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../../../../harness/cli/usage-error.ts'
import { killGroup, signalGroup, startGroup } from '../../../../harness/process-group.ts'
import { answers, settlesWithin, waitsUntil } from '../../../../harness/waiting.ts'
import type { Recipe } from './recipe.ts'

/** The longest installation: some build an inference engine from its source. */
const INSTALL_MS = 3 * 3_600_000
/** The time between SIGTERM and SIGKILL, in milliseconds. */
const STOP_MS = 5_000
/** The end of a log that a failure shows, in characters. */
const LOG_CHARS = 600

export const root = join(import.meta.dirname, '..', '..', '..', '..')

export interface RecipeFolder {
  /** The working folder of the scripts; what they install there stays for the next run. */
  readonly folder: string
  readonly signal: AbortSignal
  readonly say: (line: string) => void
}

type Variables = Readonly<Record<string, string>> & { readonly PORT: string }

/** The variables of the scripts of a recipe. */
export const variablesOf = (
  { version }: Pick<Recipe, 'version'>,
  { folder }: Pick<RecipeFolder, 'folder'>,
  port: number,
  key: string,
) => ({ VERSION: version, ROOT: root, FOLDER: folder, PORT: String(port), KEY: key })

/** Runs the installation of a recipe, if it has one. Throws `UsageError` with the end of its log if it fails. */
export async function install(
  recipe: Recipe,
  { folder, signal, say }: RecipeFolder,
  env: Variables,
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  if (recipe.install === undefined) return
  say(`installing ${recipe.name} ${recipe.version} into ${folder}`)
  const limit = AbortSignal.any([signal, AbortSignal.timeout(INSTALL_MS)])
  await using installation = start(recipe.install, join(folder, 'install.log'), { cwd: folder, env })
  const code = await untilEnd(installation, limit)
  if (code !== 0)
    throw new UsageError(`${recipe.install.join(' ')} ended with ${code}: ${tailOf(installation.log)}`)
}

/** Starts the server of a recipe and waits until it is ready; undefined if it has no script. Throws as `untilReady` does. */
export async function startServer(
  recipe: Recipe,
  { folder, signal }: RecipeFolder,
  env: Variables,
): Promise<Started | undefined> {
  if (recipe.start === undefined) return undefined
  const server = start([recipe.start], join(folder, 'server.log'), { cwd: folder, env })
  try {
    await untilReady(server, Number(env.PORT), recipe.readySeconds, signal)
    return server
  } catch (error) {
    await server[Symbol.asyncDispose]()
    throw error
  }
}

export interface Started extends AsyncDisposable {
  readonly ended: Promise<number | undefined>
  readonly log: string
}

/** Starts a program, with its output in the file `log`. */
export function start(
  words: readonly string[],
  log: string,
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Started {
  const output = openSync(log, 'w')
  const env = { ...process.env, ...options.env }
  const child = startGroup(words, { ...options, env, stdio: ['ignore', output, output] })
  const ended = new Promise<number | undefined>((resolve) => {
    child.once('error', () => resolve(undefined))
    child.once('exit', (code) => resolve(code ?? undefined))
  })
  return {
    ended,
    log,
    async [Symbol.asyncDispose]() {
      signalGroup(child, 'SIGTERM')
      const isOver = await settlesWithin(ended, STOP_MS)
      // Its children may outlive it.
      killGroup(child)
      if (!isOver) await ended
    },
  }
}

/** Resolves to the exit code. Throws the reason of the signal if it is aborted before. */
export async function untilEnd({ ended }: Started, signal: AbortSignal): Promise<number | undefined> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([ended, aborted]).finally(() => signal.removeEventListener('abort', abort))
}

/** Waits until the port answers HTTP, and not that it is still loading (503). Throws `UsageError` if the process ends before, or the time is over. */
async function untilReady(server: Started, port: number, seconds: number, signal: AbortSignal) {
  const ended = new AbortController()
  void server.ended.then(() => ended.abort())
  const limit = AbortSignal.any([signal, ended.signal, AbortSignal.timeout(seconds * 1000)])
  const accepts = ({ status }: Response): boolean => status !== 503
  const isReady = () => answers(`http://127.0.0.1:${port}/v1/models`, { signal: limit, accepts })
  if (await waitsUntil(isReady, { signal: limit, everyMs: 100 })) return
  signal.throwIfAborted()
  const why = ended.signal.aborted ? `ended with ${await server.ended}` : `did not answer within ${seconds} s`
  throw new UsageError(`the server ${why}: ${tailOf(server.log)}`)
}

export const tailOf = (log: string): string => readFileSync(log, 'utf8').trimEnd().slice(-LOG_CHARS)

export const newKey = (prefix: string): string => `${prefix}${randomBytes(24).toString('hex')}`
