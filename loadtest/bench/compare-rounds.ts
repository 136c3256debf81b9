// Compares servers on a noisy machine: they run in turn, round by round, so that a disturbance slows all of them. The
// figure is the median over the rounds.
import { readdirSync, readFileSync } from 'node:fs'
import { runLoad } from './raw-http-load.ts'

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

/**
 * Takes each measurement once in each round, from 1; every second round is in reverse order, so that a drift of the machine
 * favours none of them. Returns the figures of each measurement, round by round.
 */
export async function inRounds<Figure>(
  rounds: number,
  measurements: readonly ((round: number) => Promise<Figure>)[],
): Promise<Figure[][]> {
  const figures = measurements.map((): Figure[] => [])
  for (let round = 1; round <= rounds; round += 1) {
    const order = [...measurements.entries()]
    for (const [place, take] of round % 2 === 1 ? order : order.toReversed())
      figures[place]?.push(await take(round))
  }
  return figures
}

/** Warms each contender up, then loads all of them in each round. */
export async function compare(
  contenders: readonly Contender[],
  { rounds, seconds, warmUpSeconds, connections }: Rounds,
): Promise<Figures[][]> {
  for (const contender of contenders) await measure(contender, warmUpSeconds, connections)
  return await inRounds(
    rounds,
    contenders.map((contender) => () => measure(contender, seconds, connections)),
  )
}

/** Loads one contender for `seconds`. */
async function measure(
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
