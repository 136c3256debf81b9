// Runs the judge repeatedly, each time against a hostile target that the seed of the run determines: run N of a seed is
// run 0 of that seed plus N.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Redactor } from '../../../../harness/secrets/redact.ts'
import type { FuzzOptions } from '../fuzz-flags.ts'
import { type JudgeEnd, type JudgeRun, problemsOf, runJudge } from './judge-process.ts'

const MOST_EXAMPLES = 3

export interface JudgeFuzz {
  readonly options: Pick<FuzzOptions, 'seed' | 'seconds' | 'requests' | 'connections' | 'memoryPeakMib'>
  readonly redactor: Redactor
  readonly signal: AbortSignal
  readonly onProgress: (requests: number, seconds: number) => void
}

/** The target of a run of the judge, and how the judge is started. */
export interface Prepared extends Omit<JudgeRun, 'folder' | 'signal'> {
  /** The kind of the hostile target. */
  readonly kind: string
  /** The requests of the judge, and those that were answered in a hostile way. */
  readonly counts: { readonly requests: number; readonly hostile: number }
  /** How often it is hostile in each way. */
  readonly ways: ReadonlyMap<string, number>
  /** Further problems of its end. */
  readonly problemsOf?: (end: JudgeEnd) => readonly string[]
  close(): Promise<void>
}

/** The result of a run without a service. */
export const NOTHING_SENT = {
  counts: { requests: 0, hostile: 0 },
  ways: new Map<string, number>(),
  async close() {},
} as const satisfies Partial<Prepared>

export interface JudgeViolation {
  readonly what: string
  readonly count: number
  /** The command that repeats it, and the folder with the output of the judge. */
  readonly examples: readonly { readonly repeat: string; readonly folder: string }[]
}

export type JudgeFuzzReport = Awaited<ReturnType<typeof fuzzRuns>>

/** Runs judges until the time is over, one on each core. Throws the reason of the signal if it is aborted. */
export async function fuzzRuns(
  objective: 'judge' | 'files',
  { options, redactor, signal, onProgress }: JudgeFuzz,
  prepare: (seed: number, folder: string) => Promise<Prepared>,
) {
  const { seed, seconds, requests: most = Infinity, memoryPeakMib } = options
  const side = Math.min(options.connections, availableParallelism())
  const found = new Map<string, { count: number; examples: JudgeViolation['examples'][number][] }>()
  const [kinds, exits, ways] = [0, 0, 0].map(() => new Map<string, number>()) as [Counts, Counts, Counts]
  let [runs, requests, hostile, peakMib, slowestMs] = [0, 0, 0, 0, 0]
  const startedAt = performance.now()
  const elapsed = (): number => (performance.now() - startedAt) / 1000

  async function one(own: number): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'touchstone-judge-'))
    const prepared = await prepare(own, folder)
    const run: JudgeRun = {
      ...prepared,
      folder,
      memoryMib: memoryPeakMib ?? prepared.memoryMib,
      signal,
    }
    let end: JudgeEnd
    try {
      end = await runJudge(run)
    } finally {
      await prepared.close()
    }
    signal.throwIfAborted()
    requests += prepared.counts.requests
    hostile += prepared.counts.hostile
    count(kinds, prepared.kind)
    count(exits, String(end.exitCode))
    for (const [name, times] of prepared.ways) count(ways, name, times)
    peakMib = Math.max(peakMib, end.peakMib ?? 0)
    slowestMs = Math.max(slowestMs, end.ms)
    const problems = new Set([...problemsOf(end, run), ...(prepared.problemsOf?.(end) ?? [])])
    for (const what of problems) {
      const known = found.get(what) ?? { count: 0, examples: [] }
      known.count += 1
      if (known.examples.length < MOST_EXAMPLES)
        known.examples.push({ repeat: repeatOf(objective, own), folder })
      found.set(what, known)
    }
    if (problems.size === 0) rmSync(folder, { recursive: true, force: true })
    else writeFileSync(join(folder, 'stderr.txt'), `${prepared.args.join(' ')}\n${redactor.text(end.stderr)}`)
    onProgress(objective === 'files' ? runs : requests, elapsed())
  }

  await Promise.all(
    Array.from({ length: side }, async () => {
      while (runs < most && elapsed() < seconds) await one(seed + runs++)
    }),
  )
  return {
    seed,
    objective,
    seconds: Math.round(elapsed()),
    runs,
    kinds: Object.fromEntries(kinds),
    /** The requests of all judges, and those that were answered in a hostile way. */
    requests,
    hostile,
    ways: Object.fromEntries(ways),
    exits: Object.fromEntries(exits),
    /** The most memory of a judge, and the longest run. */
    peakMib: Math.round(peakMib),
    slowestMs: Math.round(slowestMs),
    violations: Array.from(found, ([what, known]): JudgeViolation => ({ what, ...known })),
  }
}

type Counts = Map<string, number>

function count(counts: Counts, name: string, times = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + times)
}

const repeatOf = (objective: string, seed: number): string =>
  `npx touchstone fuzz --objective ${objective} --seed ${seed} --requests 1 --connections 1`
