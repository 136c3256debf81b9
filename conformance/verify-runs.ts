// Judges bundles again, one on each core: that is computation alone. Each has a thread of its own, because a judge that
// replays sets the clock of its thread.
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { MODULE_ENDING } from '../harness/program.ts'
import { BundleError } from './bundle/bundle-file.ts'
import { type VerifiedRun, verifyRun } from './run-conformance.ts'

/** A verified bundle without its lines, or why it is damaged. */
export type VerifiedFile =
  | { readonly file: string; readonly problem: string }
  | { readonly file: string; readonly run: SummarizedRun }

export interface SummarizedRun extends Omit<VerifiedRun, 'bundle'> {
  readonly bundle: Omit<VerifiedRun['bundle'], 'lines'>
}

/** The bundles of these files in their order, each as soon as it and all before it are verified. */
export async function* verifyRuns(files: readonly string[]): AsyncGenerator<VerifiedFile, void> {
  const threads = Math.min(files.length, availableParallelism())
  if (threads < 2) {
    for (const file of files) yield await verifyFile(file)
    return
  }
  const ending = new AbortController()
  const begun: Promise<VerifiedFile>[] = []
  const begin = (): void => {
    const file = files[begun.length]
    if (file === undefined || ending.signal.aborted) return
    const verified = inThread(file, ending.signal)
    begun.push(verified)
    // The loop below rejects with the error of a thread.
    verified.then(begin, begin)
  }
  for (let thread = 0; thread < threads; thread++) begin()
  try {
    for (let place = 0; place < files.length; place++) {
      const verified = await begun[place]
      if (verified !== undefined) yield verified
    }
  } finally {
    ending.abort()
  }
}

/** Verifies one bundle in this thread. */
export async function verifyFile(file: string): Promise<VerifiedFile> {
  try {
    const { bundle, ...verification } = await verifyRun(file)
    const { lines: _, ...summary } = bundle
    return { file, run: { ...verification, bundle: summary } }
  } catch (error) {
    if (error instanceof BundleError) return { file, problem: error.message }
    return { file, problem: crashed(error) }
  }
}

/** An error of the judge on one bundle says nothing of the others. */
function crashed(error: unknown): string {
  return `the judge itself failed: ${String(Object(error).stack ?? error)}`
}

/** Resolves to a problem if the thread failed, and rejects with the signal's reason; the thread has ended when it settles. */
function inThread(file: string, signal: AbortSignal): Promise<VerifiedFile> {
  const { promise, resolve, reject } = Promise.withResolvers<VerifiedFile>()
  const thread = new Worker(new URL(`verify-thread${MODULE_ENDING}`, import.meta.url), { workerData: file })
  const end = (): void => void thread.terminate()
  signal.addEventListener('abort', end, { once: true })
  let verified: VerifiedFile | undefined
  thread.on('message', (value: VerifiedFile) => (verified = value))
  thread.on('error', (error) => (verified ??= { file, problem: crashed(error) }))
  thread.on('exit', () => {
    signal.removeEventListener('abort', end)
    if (verified === undefined) reject(new Error(`the thread that verified ${file} ended before its result`))
    else resolve(verified)
  })
  return promise
}
