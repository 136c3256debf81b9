// Compares two servers fairly on a noisy machine: in turn, round by round, so that whatever slows one slows the other;
// the figure is the median over the rounds.
import { readFileSync } from 'node:fs'
import { runLoad } from './load.ts'

/** A server process under test. */
export interface Contender {
  readonly port: number
  readonly pid: number
  readonly request: Buffer
}

/** What one contender did, as medians over the rounds. */
export interface Figures {
  readonly perSecond: number
  /** User and system time of the process for one request, in microseconds; undefined where the system does not report it. */
  readonly cpuMicros: number | undefined
}

export interface Comparison {
  readonly ours: Figures
  readonly reference: Figures
  /** Median over the rounds of ours divided by the reference, for requests per second. */
  readonly ratio: number
}

export interface Rounds {
  readonly rounds: number
  readonly seconds: number
  /** Load on each contender before anything counts, in seconds: what it costs while it is compiled is no figure. */
  readonly warmUpSeconds: number
  readonly connections: number
}

/** Runs both in turn, after each has been warmed up. */
export async function compare(
  ours: Contender,
  reference: Contender,
  { rounds, seconds, warmUpSeconds, connections }: Rounds,
): Promise<Comparison> {
  for (const contender of [ours, reference]) await once(contender, warmUpSeconds, connections)
  const pairs: { ours: Figures; reference: Figures }[] = []
  for (let round = 0; round < rounds; round += 1)
    pairs.push({
      ours: await once(ours, seconds, connections),
      reference: await once(reference, seconds, connections),
    })
  return {
    ours: middle(pairs.map((pair) => pair.ours)),
    reference: middle(pairs.map((pair) => pair.reference)),
    ratio: median(pairs.map((pair) => pair.ours.perSecond / pair.reference.perSecond)),
  }
}

async function once(
  { port, pid, request }: Contender,
  seconds: number,
  connections: number,
): Promise<Figures> {
  const cpuBefore = cpuSeconds(pid)
  const started = performance.now()
  const count = await runLoad({ port, connections, seconds, request })
  const elapsed = (performance.now() - started) / 1000
  const cpuAfter = cpuSeconds(pid)
  const cpuMicros =
    cpuBefore === undefined || cpuAfter === undefined ? undefined : ((cpuAfter - cpuBefore) / count) * 1e6
  return { perSecond: count / elapsed, cpuMicros }
}

function middle(figures: readonly Figures[]): Figures {
  const cpu = figures.flatMap(({ cpuMicros }) => (cpuMicros === undefined ? [] : [cpuMicros]))
  return {
    perSecond: median(figures.map(({ perSecond }) => perSecond)),
    cpuMicros: cpu.length === 0 ? undefined : median(cpu),
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  return ((sorted[Math.ceil(half) - 1] ?? NaN) + (sorted[Math.floor(half)] ?? NaN)) / 2
}

/** Ticks of the clock in which Linux counts the time of a process; the same on all its platforms. */
const TICKS_PER_SECOND = 100

/** User and system time of a process and all its threads so far, in seconds; only Linux reports it. */
function cpuSeconds(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in parentheses may hold anything; behind it, utime and stime are the 12th and 13th field.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
  } catch {
    return undefined
  }
}
