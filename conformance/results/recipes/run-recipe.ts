// Runs a recipe: installs, starts and judges, and ends every process that it started, however the run ends.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { type ReadReport, readReport } from '../make-entry.ts'
import type { Recipe } from './recipe.ts'

/** The longest installation: some build an inference engine from its source. */
const INSTALL_MS = 3 * 3_600_000
/** The time between SIGTERM and SIGKILL, in milliseconds. */
const STOP_MS = 5_000
/** The end of a log that a failure shows, in characters. */
const LOG_CHARS = 600

const root = join(import.meta.dirname, '..', '..', '..')

export interface RecipeRun {
  /** The working folder of the scripts; what they install there stays for the next run. */
  readonly folder: string
  readonly seed: number
  readonly signal: AbortSignal
  readonly say: (line: string) => void
}

/** Runs the recipe and returns the report. Throws `UsageError` if it cannot be installed, started or judged. */
export async function runRecipe(recipe: Recipe, run: RecipeRun): Promise<ReadReport> {
  const { folder, signal, say } = run
  mkdirSync(folder, { recursive: true })
  const [port, upstreamPort] = [await freePort(), await freePort()]
  const [key, upstreamKey] = [newKey(), newKey()]
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
    await using install = start([recipe.install], { cwd: folder, env, log: join(folder, 'install.log') })
    const code = await untilEnd(install, limit)
    if (code !== 0) throw new UsageError(`${recipe.install} ended with ${code}: ${tailOf(install.log)}`)
  }
  const report = join(folder, 'report.json')
  rmSync(report, { force: true })
  const words = judgeWords(recipe, run.seed, { port, upstreamPort, report })
  await using server =
    recipe.kind === 'server' && recipe.start !== undefined
      ? start([recipe.start], { cwd: folder, env, log: join(folder, 'server.log') })
      : undefined
  if (server !== undefined) await untilReady(server, port, recipe.readySeconds, signal)
  say(`judging ${recipe.name} ${recipe.version}`)
  const keys = { CONFORMANCE_API_KEY: key, CONFORMANCE_UPSTREAM_KEY: upstreamKey }
  const isOwn = recipe.kind === 'server' && recipe.start === undefined
  await using judge = start([process.execPath, join(root, 'conformance', 'cli.js'), ...words], {
    cwd: root,
    env: { ...env, ...(isOwn || recipe.kind === 'client' ? {} : keys) },
    log: join(folder, 'judge.log'),
  })
  const code = await untilEnd(judge, signal)
  if (code === 2 || code === undefined)
    throw new UsageError(`the judge ended with ${code}: ${tailOf(judge.log)}`)
  return readReport(readFileSync(report), report)
}

/** The arguments of the judge. */
function judgeWords(
  { kind, profile, flags, start: script, command = [], readySeconds }: Recipe,
  seed: number,
  at: { readonly port: number; readonly upstreamPort: number; readonly report: string },
): readonly string[] {
  const common = [
    ...(flags.includes('--seed') ? [] : ['--seed', String(seed)]),
    '--json',
    at.report,
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

/** Processes that are killed if this one ends without disposing of them. */
const running = new Set<ChildProcess>()
process.once('exit', () => {
  for (const child of running) signalGroup(child, 'SIGKILL')
})

/** Starts a program in its own process group, with its output in a file. */
function start(
  [file = '', ...args]: readonly string[],
  {
    cwd,
    env,
    log,
  }: { readonly cwd: string; readonly env: Readonly<Record<string, string>>; readonly log: string },
): Started {
  const output = openSync(log, 'w')
  const child = spawn(file, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output],
    detached: true,
  })
  running.add(child)
  const ended = new Promise<number | undefined>((resolve) => {
    child.once('error', () => resolve(undefined))
    child.once('exit', (code) => resolve(code ?? undefined))
  })
  return {
    ended,
    log,
    async [Symbol.asyncDispose]() {
      signalGroup(child, 'SIGTERM')
      const isOver = await Promise.race([ended.then(() => true), sleep(STOP_MS, false, { ref: false })])
      // Its children may outlive it.
      signalGroup(child, 'SIGKILL')
      if (!isOver) await ended
      running.delete(child)
    },
  }
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // No process of the group is left.
  }
}

async function untilEnd({ ended }: Started, signal: AbortSignal): Promise<number | undefined> {
  return Promise.race([ended, aborted(signal)])
}

/** Waits until the port answers HTTP. Throws `UsageError` if the process ends before, or the time is over. */
async function untilReady(
  server: Started,
  port: number,
  seconds: number,
  signal: AbortSignal,
): Promise<void> {
  const over = new AbortController()
  const limit = AbortSignal.any([signal, over.signal, AbortSignal.timeout(seconds * 1000)])
  const ended = server.ended.then((code) => {
    throw new UsageError(`the server ended with ${code}: ${tailOf(server.log)}`)
  })
  ended.catch(() => undefined)
  const ready = (async () => {
    for (;;) {
      limit.throwIfAborted()
      const answer = await fetch(`http://127.0.0.1:${port}/v1/models`, { signal: limit }).catch(
        () => undefined,
      )
      await answer?.body?.cancel()
      if (answer !== undefined) return
      await sleep(100)
    }
  })()
  ready.catch(() => undefined)
  try {
    await Promise.race([ready, ended, aborted(limit)])
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof UsageError) throw error
    throw new UsageError(`the server did not answer within ${seconds} s: ${tailOf(server.log)}`)
  } finally {
    over.abort()
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  promise.catch(() => undefined)
  const abort = (): void => reject(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return promise
}

const tailOf = (log: string): string => readFileSync(log, 'utf8').trimEnd().slice(-LOG_CHARS)

const newKey = (): string => `sk-${randomBytes(24).toString('hex')}`

/** A free port of loopback. Another program could take it before it is used; the start then fails. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
