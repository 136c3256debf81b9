// Starts the faulty servers before a reference server, in a process of their own, and stops them.
import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { killGroup, startGroup } from '../../../harness/process-group.ts'
import { SERVERS } from './mutant.ts'

/** The time limit for starting all servers, in milliseconds. */
const START_TIMEOUT_MS = 30_000

export type FaultyServers = Awaited<ReturnType<typeof startFaultyServers>>

/**
 * Starts these servers before `upstream`, which accepts `key`. Throws if they do not start, and the signal's reason if
 * that is aborted; no process is left running then.
 */
export async function startFaultyServers(
  ids: readonly string[],
  upstream: string,
  key: string,
  signal: AbortSignal,
) {
  const words = [process.execPath, SERVERS, '--upstream', upstream, ...ids.flatMap((id) => ['--fault', id])]
  const env = { ...process.env, FAULTY_KEY: key }
  const child = startGroup(words, { env, stdio: ['ignore', 'pipe', 'ignore'] })
  const stop = async (): Promise<void> => killGroup(child)
  try {
    const bound = AbortSignal.any([signal, AbortSignal.timeout(START_TIMEOUT_MS)])
    /** The address of each server by its id. */
    const urls = await readUrls(child, ids, bound)
    return { urls, stop, [Symbol.asyncDispose]: stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Reads a line for each server: `ID URL`, or only the URL if there is one server. */
async function readUrls(child: ChildProcess, ids: readonly string[], signal: AbortSignal) {
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
