// A run of the fuzzer: the quiet client before the attack, the attack, and the verdict. A run ends by itself and keeps
// at most one attack of each connection in memory.
import { setTimeout as sleep } from 'node:timers/promises'
import { lengthOf, type Place } from './attack.ts'
import { type AttackSource, attacksOn } from './attack-source.ts'
import { costlyRequests } from './costly-search.ts'
import type { FuzzOptions } from './fuzz-flags.ts'
import { memoryOf } from './process-memory.ts'
import { startQuietClient } from './quiet-client.ts'
import { sendAttack } from './send-attack.ts'
import type { FuzzTarget } from './fuzz-target.ts'
import { type Placed, Violations, problemOf, readAttack } from './violations.ts'

/** How long things take, in milliseconds. */
const TIMES = {
  /** The first answers to the quiet client, which do not count. */
  warmUpMs: 1_000,
  /** The quiet client alone. */
  baselineMs: 3_000,
  /** The longest wait until memory is freed. */
  settleMs: 20_000,
}

/** How often memory is looked at, in milliseconds. */
const MEMORY_EVERY_MS = 1_000

/**
 * How many times slower an answer to the quiet client may be than before the attack, because other programs run too.
 */
const NOISE = 4

export type FuzzReport = Awaited<ReturnType<typeof runFuzz>>

interface Largest {
  /** Bytes, or bytes for each byte of the request. */
  readonly value: number
  /** The file that `--replay` sends again. */
  readonly file: string | undefined
}

interface FuzzRun {
  readonly options: FuzzOptions
  readonly target: FuzzTarget
  readonly signal: AbortSignal
  readonly onProgress: (requests: number, seconds: number) => void
  readonly times?: typeof TIMES
}

/** Attacks the target. Throws the reason of the signal if it is aborted. */
export async function runFuzz(run: FuzzRun) {
  const { options, target, signal, times = TIMES } = run
  const { seed, seconds, timeoutSeconds, quietLimitMs } = options
  const violations = new Violations()
  const inFlight = new Set<Placed>()
  // This takes seconds and must not delay the first attacks.
  const source = options.objective === 'cost' ? costlyRequests(target.model) : attacksOn(target.model)
  let slowest = quietLimitMs
  const quiet = await startQuietClient(
    {
      baseUrl: target.baseUrl,
      key: target.quietKey,
      model: target.quietModel,
      timeoutMs: timeoutSeconds * 1000,
      slowMs: quietLimitMs,
    },
    ({ ms }) => {
      // The attacks in flight at the slowest moment are the first to examine.
      if (ms > slowest && inFlight.size > 0) slowMoment = [...inFlight]
      slowest = Math.max(slowest, ms)
    },
  )
  let slowMoment: readonly Placed[] = []
  try {
    await sleep(times.warmUpMs, undefined, { signal })
    await quiet.report()
    await sleep(times.baselineMs, undefined, { signal })
    const before = await quiet.report()
    const memory = watchMemory(target.pid)
    const tally = await attack(run, source, violations, inFlight)
    const during = await quiet.report()

    const limitMs = Math.max(quietLimitMs, NOISE * before.p99Ms)
    if (during.p99Ms > limitMs)
      violations.add(`quiet client: p99 of ${during.p99Ms} ms, over ${limitMs} ms`, slowMoment)
    if (during.maxMs > (options.quietMostMs ?? Infinity))
      violations.add(`quiet client: waited ${during.maxMs} ms, over ${options.quietMostMs} ms`, slowMoment)
    for (const [what, count] of Object.entries(during.lost))
      violations.add(`quiet client: ${what}, ${count} times`, slowMoment)
    const held = await memory.settle(options.memoryMib, times.settleMs, signal)
    if (held !== undefined && held.end > held.limit)
      violations.add(`memory: ${held.end} MiB at the end, over ${held.limit} MiB`)
    if (held !== undefined && held.peak > (options.memoryPeakMib ?? Infinity))
      violations.add(`memory: ${held.peak} MiB at most, over ${options.memoryPeakMib} MiB`)
    return {
      seed,
      model: target.model,
      connections: options.connections,
      /** How long requests were begun. */
      seconds,
      ...tally,
      quiet: { before, during, limitMs },
      /** The memory in MiB; undefined if the process is not known, or not on Linux. */
      memory: held,
      violations: violations.all(),
    }
  } finally {
    await quiet.close()
  }
}

/** Sends attacks on all connections until the time is over, and waits for the last ones. */
async function attack(
  { options, target, signal, onProgress }: FuzzRun,
  source: AttackSource,
  violations: Violations,
  inFlight: Set<Placed>,
) {
  const { seed, seconds, timeoutSeconds } = options
  const kinds = new Map<string, number>()
  const endings = new Map<string, number>()
  let requests = 0
  let worst: { readonly ms: number; readonly kind: string; readonly place: Place } | undefined
  let largest: Largest = { value: 0, file: undefined }
  let amplification: Largest = { value: 0, file: undefined }
  const over = AbortSignal.timeout(seconds * 1000)
  const startedAt = performance.now()
  const elapsed = (): number => (performance.now() - startedAt) / 1000

  async function send(placed: Placed): Promise<void> {
    inFlight.add(placed)
    const outcome = await sendAttack(placed.attack, {
      baseUrl: target.baseUrl,
      key: target.attackKey,
      timeoutMs: timeoutSeconds * 1000,
      signal,
      over,
    })
    signal.throwIfAborted()
    inFlight.delete(placed)
    const { kind, stallMs } = placed.attack
    const ending = outcome.ending === 'answered' ? String(outcome.status) : outcome.ending
    requests += 1
    count(kinds, kind)
    count(endings, ending)
    if (stallMs === undefined && outcome.ms > (worst?.ms ?? 0))
      worst = { ms: Math.round(outcome.ms), kind, place: placed.place }
    source.learn?.(placed.attack, outcome)
    if (outcome.bytes > largest.value)
      largest = { value: outcome.bytes, file: violations.keep(placed, 'largest') }
    const factor = outcome.bytes / lengthOf(placed.attack.pieces)
    if (factor > amplification.value)
      amplification = { value: factor, file: violations.keep(placed, 'amplification') }
    if (outcome.bytes > (options.answerBytes ?? Infinity))
      violations.add(`an answer of more than ${options.answerBytes} bytes`, [placed])
    const problem = problemOf(placed.attack, outcome)
    if (problem !== undefined) violations.add(`${kind}: ${problem}`, [placed])
    onProgress(requests, elapsed())
  }

  if (options.replay.length > 0) {
    const kept = options.replay.map((file, number) => ({
      attack: readAttack(file),
      place: { seed, connection: 0, number },
    }))
    await Promise.all(kept.map(send))
  } else {
    await Promise.all(
      Array.from({ length: options.connections }, async (_, connection) => {
        const isDone = (number: number): boolean =>
          options.requests === undefined ? over.aborted : number >= options.requests
        for (let number = 0; !isDone(number); number += 1) {
          const place = { seed, connection, number }
          await send({ attack: source.at(place), place })
        }
      }),
    )
  }
  return {
    requests,
    /** Requests by kind, and by ending: a status, or an `Ending`. */
    kinds: sorted(kinds),
    endings: sorted(endings),
    /** The answer that took longest to its end, of readers that do not stall. */
    worst,
    /** The largest answer, and the largest for each byte of its request. */
    largest,
    amplification,
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

const sorted = (counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> =>
  Object.fromEntries([...counts].toSorted(([, a], [, b]) => b - a))

/** Watches the memory of a process from now on, until it is `settle`d. */
function watchMemory(pid: number | undefined) {
  const now = (): number | undefined => {
    const mib = pid === undefined ? undefined : memoryOf(pid)
    return mib === undefined ? undefined : Math.round(mib)
  }
  const start = now()
  let peak = start ?? 0
  const timer = setInterval(() => (peak = Math.max(peak, now() ?? 0)), MEMORY_EVERY_MS).unref()

  /** Waits until it is at most `growth` MiB more than at the start. */
  async function settle(growth: number, settleMs: number, signal: AbortSignal) {
    const limit = (start ?? 0) + growth
    let end = now()
    for (let waited = 0; waited < settleMs && (end ?? 0) > limit; waited += MEMORY_EVERY_MS) {
      await sleep(MEMORY_EVERY_MS, undefined, { signal })
      end = now()
    }
    clearInterval(timer)
    return start === undefined || end === undefined ? undefined : { start, peak, end, limit }
  }
  return { settle }
}
