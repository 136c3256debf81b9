// Starts a program as a part of a cluster, in its own process group. A restart keeps its address.
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { waitsUntil } from '../harness/waiting.ts'
import type { Part } from './supervise.ts'

export interface PartOptions {
  readonly name: string
  /** Spawns the program, detached: Ctrl-C reaches only this process, which stops all parts in order. */
  readonly spawn: () => ChildProcess
  readonly isReady: () => Promise<boolean>
  /** The longest start on a busy machine, in milliseconds. */
  readonly startMs: number
  /** The log to show if the program does not start. */
  readonly log: () => string
}

/** Resolves when the program is ready. Throws with its log if it does not start. */
export async function startPart({ name, spawn, isReady, startMs, log }: PartOptions) {
  let child: ChildProcess
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null

  async function start(): Promise<void> {
    child = spawn()
    const over = new AbortController()
    child.once('exit', () => over.abort())
    if (await waitsUntil(isReady, { signal: AbortSignal.any([over.signal, AbortSignal.timeout(startMs)]) }))
      return
    await kill()
    throw new Error(`${name} did not start: ${log()}`)
  }

  async function ended(): Promise<void> {
    if (!hasEnded()) await once(child, 'exit')
  }

  async function kill(): Promise<void> {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // The whole group has ended.
    }
    await ended()
  }

  await start()
  /** `pid`: the id of the process that runs now. */
  return { name, start, ended, kill, pid: () => child.pid } satisfies Part & { pid(): number | undefined }
}
