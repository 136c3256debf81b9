// Judges bundles again, one on each core: that is computation alone. Each has a thread of its own, because a judge that
// replays sets the clock of its thread.
import { availableParallelism } from 'node:os'
import { bounds } from '../harness/bounds/bounds.ts'
import { startOwnThread } from '../harness/program.ts'
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
    void verified.then(begin)
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
    return { file, problem: problemOf(error) }
  }
}

/** A bundle of a stranger can break the judge in ways that its schema allows: its own verdict says so, and the others go on. */
function problemOf(error: unknown): string {
  if (error instanceof BundleError) return error.message
  return `it cannot be judged again: ${error instanceof Error ? error.message : String(error)}`
}

/** Never rejects: the thread has ended when it settles. */
function inThread(file: string, signal: AbortSignal): Promise<VerifiedFile> {
  const { promise, resolve } = Promise.withResolvers<VerifiedFile>()
  const thread = startOwnThread(new URL('verify-thread', import.meta.url), {
    workerData: file,
    // A bundle that needs more ends its thread, and no other.
    resourceLimits: { maxOldGenerationSizeMb: bounds().verifyMb },
  })
  const end = (): void => void thread.terminate()
  signal.addEventListener('abort', end, { once: true })
  let verified: VerifiedFile | undefined
  thread.on('message', (value: VerifiedFile) => (verified = value))
  thread.on('error', (error) => (verified ??= { file, problem: problemOf(error) }))
  thread.on('exit', () => {
    signal.removeEventListener('abort', end)
    resolve(verified ?? { file, problem: 'its verification ended before its result' })
  })
  return promise
}
