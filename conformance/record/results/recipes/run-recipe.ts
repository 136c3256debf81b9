// Runs a recipe: installs, starts and judges, and ends every process that it started, however the run ends.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { UsageError } from '../../../../harness/cli/usage-error.ts'
import { killGroup, signalGroup, startGroup } from '../../../../harness/process-group.ts'
import { answers, settlesWithin, waitsUntil } from '../../../../harness/waiting.ts'
import { readBundle } from '../../../bundle/bundle-file.ts'
import { type ReadReport, readReport } from '../make-entry.ts'
import type { Recipe } from './recipe.ts'

/** The longest installation: some build an inference engine from its source. */
const INSTALL_MS = 3 * 3_600_000
/** The time between SIGTERM and SIGKILL, in milliseconds. */
const STOP_MS = 5_000
/** The end of a log that a failure shows, in characters. */
const LOG_CHARS = 600

const root = join(import.meta.dirname, '..', '..', '..', '..')

export interface RecipeRun {
  /** The working folder of the scripts; what they install there stays for the next run. */
  readonly folder: string
  readonly seed: number
  readonly signal: AbortSignal
  readonly say: (line: string) => void
}

/** Runs the recipe and returns the report and the bundle. Throws `UsageError` if it cannot be installed, started or judged. */
export async function runRecipe(
  recipe: Recipe,
  run: RecipeRun,
): Promise<ReadReport & { readonly bundle: Uint8Array }> {
  const { folder, signal, say } = run
  mkdirSync(folder, { recursive: true })
  const [port, upstreamPort] = [await freePort(), await freePort()]
  const [key, upstreamKey] = [newKey(recipe.keyPrefix), newKey('sk-')]
  const upstream = { UPSTREAM: `http://127.0.0.1:${upstreamPort}/v1`, UPSTREAM_KEY: upstreamKey }
  const env = {
    VERSION: recipe.version,
    ROOT: root,
    FOLDER: folder,
    PORT: String(port),
    KEY: key,
    ...(recipe.kind === 'gateway' ? upstream : {}),
  }
  if (recipe.install !== undefined) {
    say(`installing ${recipe.name} ${recipe.version} into ${folder}`)
    const limit = AbortSignal.any([signal, AbortSignal.timeout(INSTALL_MS)])
    await using install = start(recipe.install, join(folder, 'install.log'), { cwd: folder, env })
    const code = await untilEnd(install, limit)
    if (code !== 0)
      throw new UsageError(`${recipe.install.join(' ')} ended with ${code}: ${tailOf(install.log)}`)
  }
  const bundle = join(folder, 'run.zip')
  rmSync(bundle, { force: true })
  const words = judgeWords(recipe, run.seed, { port, upstreamPort, bundle })
  await using server =
    recipe.kind === 'server' && recipe.start !== undefined
      ? start([recipe.start], join(folder, 'server.log'), { cwd: folder, env })
      : undefined
  if (server !== undefined) await untilReady(server, port, recipe.readySeconds, signal)
  say(`judging ${recipe.name} ${recipe.version}`)
  const clientKey = recipe.hasKeys ? { CONFORMANCE_API_KEY: key } : {}
  const keys = { ...clientKey, CONFORMANCE_UPSTREAM_KEY: upstreamKey }
  const isOwn = recipe.kind === 'server' && recipe.start === undefined
  const command = [process.execPath, join(root, 'conformance', 'cli.js'), ...words]
  await using judge = start(command, join(folder, 'judge.log'), {
    cwd: root,
    env: { ...env, ...(isOwn || recipe.kind === 'client' ? {} : keys) },
  })
  const code = await untilEnd(judge, signal)
  if (code === 2 || code === undefined)
    throw new UsageError(`the judge ended with ${code}: ${tailOf(judge.log)}`)
  if (!existsSync(bundle)) throw new UsageError(`the run was not recorded: ${tailOf(judge.log)}`)
  const bytes = readFileSync(bundle)
  return { ...readReport(readBundle(bytes).reportBytes, bundle), bundle: bytes }
}

function judgeWords(
  { kind, profile, flags, start: script, command = [], readySeconds }: Recipe,
  seed: number,
  at: { readonly port: number; readonly upstreamPort: number; readonly bundle: string },
): readonly string[] {
  const common = [
    ...(flags.includes('--seed') ? [] : ['--seed', String(seed)]),
    '--bundle',
    at.bundle,
    ...flags,
  ]
  const baseUrl = ['--base-url', `http://127.0.0.1:${at.port}`]
  if (kind === 'client') return ['client', ...common, '--', ...command]
  if (kind === 'server')
    return ['run', ...(script === undefined ? [] : baseUrl), '--profile', profile, ...common]
  const starting = ['--listen', String(at.upstreamPort), '--warm-up', String(Math.max(1, readySeconds))]
  // The judge starts a gateway itself, when its upstream listens.
  const gateway = ['--', 'sh', '-c', 'cd "$FOLDER" && exec "$0"', script ?? '']
  return ['gateway', ...baseUrl, ...starting, ...common, ...gateway]
}

interface Started extends AsyncDisposable {
  readonly ended: Promise<number | undefined>
  readonly log: string
}

/** Starts a program, with its output in the file `log`. */
function start(
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
async function untilEnd({ ended }: Started, signal: AbortSignal): Promise<number | undefined> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  return Promise.race([ended, aborted]).finally(() => signal.removeEventListener('abort', abort))
}

/** Waits until the port answers HTTP. Throws `UsageError` if the process ends before, or the time is over. */
async function untilReady(server: Started, port: number, seconds: number, signal: AbortSignal) {
  const ended = new AbortController()
  void server.ended.then(() => ended.abort())
  const limit = AbortSignal.any([signal, ended.signal, AbortSignal.timeout(seconds * 1000)])
  const isReady = () => answers(`http://127.0.0.1:${port}/v1/models`, { signal: limit, accepts: () => true })
  if (await waitsUntil(isReady, { signal: limit, everyMs: 100 })) return
  signal.throwIfAborted()
  const why = ended.signal.aborted ? `ended with ${await server.ended}` : `did not answer within ${seconds} s`
  throw new UsageError(`the server ${why}: ${tailOf(server.log)}`)
}

const tailOf = (log: string): string => readFileSync(log, 'utf8').trimEnd().slice(-LOG_CHARS)

const newKey = (prefix: string): string => `${prefix}${randomBytes(24).toString('hex')}`

/** A free port of loopback. Another program could take it before it is used; the start then fails. */
async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await once(probe.close(), 'close')
  return port
}
