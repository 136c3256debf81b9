// Compares servers on a noisy machine: they run in turn, round by round, so that a disturbance slows all of them. The
// figure is the median over the rounds.
import { readdirSync, readFileSync } from 'node:fs'
import { runLoad } from './raw-load.ts'

/** A server process under test. */
export interface Contender {
  readonly port: number
  readonly pid: number
  readonly request: Buffer
}

/** The figures of one contender in one round. */
export interface Figures {
  readonly perSecond: number
  /** Processor time of the process and its children for one request, in microseconds; undefined outside Linux. */
  readonly cpuMicros: number | undefined
}

export interface Rounds {
  readonly rounds: number
  readonly seconds: number
  /** Warm-up load on each contender, in seconds: JIT compilation is not measured. */
  readonly warmUpSeconds: number
  readonly connections: number
}

/** Warms each contender up, then runs all of them in each round. Returns the figures of each contender, round by round. */
export async function compare(
  contenders: readonly Contender[],
  { rounds, seconds, warmUpSeconds, connections }: Rounds,
): Promise<Figures[][]> {
  for (const contender of contenders) await measure(contender, warmUpSeconds, connections)
  const all: Figures[][] = contenders.map(() => [])
  for (let round = 0; round < rounds; round += 1)
    for (const [place, contender] of contenders.entries())
      all[place]?.push(await measure(contender, seconds, connections))
  return all
}

/** Loads one contender for `seconds`. */
export async function measure(
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

/** Processor time of a process, all its threads and children so far, in seconds; only Linux reports it. */
function cpuSeconds(pid: number): number | undefined {
  try {
    const tasks = `/proc/${pid}/task`
    // The first field: nanoseconds on a processor.
    const times = readdirSync(tasks).map((id) =>
      Number(readFileSync(`${tasks}/${id}/schedstat`, 'utf8').split(' ')[0]),
    )
    const children = readFileSync(`${tasks}/${pid}/children`, 'utf8').split(' ').map(Number)
    const ofChildren = children.filter((child) => child > 0).map((child) => cpuSeconds(child) ?? 0)
    return times.reduce((sum, time) => sum + time, 0) / 1e9 + ofChildren.reduce((sum, time) => sum + time, 0)
  } catch {
    return undefined
  }
}
