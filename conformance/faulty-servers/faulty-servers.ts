// The faulty servers as a process of their own: listed, started before the reference server, stopped again.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import { isRequirementId } from '../../spec/catalogue/requirements.ts'
import { MODULE_ENDING } from '../../harness/program.ts'

const root = join(import.meta.dirname, '..', '..')
const entry = join(root, 'fixtures', 'faulty', `main${MODULE_ENDING}`)

/** The most that starting all servers may take, in milliseconds. */
const START_TIMEOUT_MS = 30_000

const row = z.string().refine(isRequirementId)
const rows = z.array(row).default([])
const common = {
  id: z.string(),
  description: z.string(),
  /** Flags of the judge that a run against it needs. */
  flags: z.array(z.string()).default([]),
  /** What a derived server is made of. */
  parts: z.object({ field: z.string(), operator: z.string(), where: z.string() }).optional(),
}

/** A server or client, as the programs that are several of them list it. */
export const mutant = z.discriminatedUnion('kind', [
  z.object({
    ...common,
    kind: z.literal('fault'),
    /** The row that must turn red. */
    requirement: row,
    /** Rows that may turn red as well. */
    alsoBreaks: rows,
    why: z.string().optional(),
    /** Whether only the checks of `requirement` can be run. */
    alone: z.boolean().default(false),
  }),
  z.object({
    ...common,
    kind: z.literal('oddity'),
    tolerances: rows,
    /** SHOULD rows that may end in a warning. */
    leavesUnmet: rows,
    /** Whether it is judged without a key. */
    keyless: z.boolean().default(false),
    /** Where a deployment does this. */
    source: z.string().optional(),
  }),
])

/** A server of the list: one with a fault, or one that is odd and right. */
export type Mutant = z.infer<typeof mutant>

/** What `fixtures/faulty/main.ts --list` prints: the table, or the servers that are derived. */
export async function listMutants({ derived = false } = {}): Promise<readonly Mutant[]> {
  const child = spawn(process.execPath, [entry, '--list', ...(derived ? ['--derived'] : [])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const pieces = await child.stdout.setEncoding('utf8').toArray()
  return z.array(mutant).parse(JSON.parse(pieces.join('')))
}

export interface FaultyServers {
  /** The address of each server by its id. */
  readonly urls: ReadonlyMap<string, string>
  stop(): Promise<void>
}

/**
 * Starts these servers before `upstream`, of which `key` is a key. Throws where they do not come up, and the signal's
 * reason where that is aborted; nothing is left behind then.
 */
export async function startFaultyServers(
  ids: readonly string[],
  upstream: string,
  key: string,
  signal: AbortSignal,
): Promise<FaultyServers> {
  const args = [entry, '--upstream', upstream, ...ids.flatMap((id) => ['--fault', id])]
  const child = spawn(process.execPath, args, {
    env: { ...process.env, FAULTY_KEY: key },
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  const killOnExit = (): void => void child.kill('SIGKILL')
  process.once('exit', killOnExit)
  const stop = async (): Promise<void> => {
    const ended = child.exitCode !== null || child.signalCode !== null
    if (!ended) {
      child.kill('SIGTERM')
      await once(child, 'close')
    }
    process.off('exit', killOnExit)
  }
  try {
    const bound = AbortSignal.any([signal, AbortSignal.timeout(START_TIMEOUT_MS)])
    return { urls: await readUrls(child, ids, bound), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Reads a line for each server: `ID URL`, or the URL alone where there is one server. */
async function readUrls(
  child: ChildProcess,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const urls = new Map<string, string>()
  if (child.stdout === null) return urls
  const lines = createInterface({ input: child.stdout })
  const abort = (): void => lines.close()
  signal.addEventListener('abort', abort, { once: true })
  for await (const line of lines) {
    const words = line.split(' ')
    urls.set(words.length > 1 ? (words[0] ?? '') : (ids[0] ?? ''), words.at(-1) ?? '')
    if (urls.size === ids.length) break
  }
  signal.removeEventListener('abort', abort)
  signal.throwIfAborted()
  if (urls.size < ids.length) throw new Error('the faulty servers did not start')
  return urls
}
