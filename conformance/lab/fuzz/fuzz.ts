// A run of the fuzzer: the quiet client before the attack, the attack, and the verdict. A run ends by itself and keeps
// at most one attack of each connection in memory.
import { setTimeout as sleep } from 'node:timers/promises'
import { type Attack, lengthOf, type Position } from './attack.ts'
import { type AttackSource, attacksOn } from './attack-source.ts'
import { attackConnection, SERVICE_DOWN } from './connections/attack-connection.ts'
import { connectionAttacks } from './connections/connection-attacks.ts'
import { serverSockets, watchSockets } from './connections/server-sockets.ts'
import { costlyRequests } from './costly-search.ts'
import type { FuzzOptions } from './fuzz-flags.ts'
import { watchMemory } from './process-memory.ts'
import { startQuietClient } from './quiet-client.ts'
import { type Outcome, sendAttack } from './send-attack.ts'
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
  // Made before the first attack, because it takes seconds.
  const source = sourceOf(options, target.model)
  let slowest = quietLimitMs
  const quiet = await startQuietClient(
    {
      baseUrl: target.baseUrl,
      key: target.quietKey,
      authHeader: options.authHeader,
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
    const sockets = watchSockets(options.objective === 'connections' ? target.pid : undefined)
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
    const open = await sockets.settle(options.closeSeconds * 1000, signal)
    if (open !== undefined && open.end > open.start)
      violations.add(`sockets: ${open.end} open at the end, over ${open.start} at the start`)
    return {
      seed,
      objective: options.objective,
      model: target.model,
      connections: options.connections,
      /** The time in which requests began. */
      seconds,
      ...tally,
      quiet: { before, during, limitMs },
      /** The memory in MiB; undefined if the process is not known, or not on Linux. */
      memory: held,
      /** The sockets of the process after attacks on connections; undefined as for the memory. */
      sockets: open,
      violations: violations.all(),
    }
  } finally {
    await quiet.close()
  }
}

function sourceOf({ objective, burst }: FuzzOptions, model: string): AttackSource {
  if (objective === 'connections') return connectionAttacks(model, burst)
  return objective === 'cost' ? costlyRequests(model) : attacksOn(model)
}

/** Sends attacks on all connections until the time is over, and waits for the last ones. */
async function attack(
  { options, target, signal, onProgress }: FuzzRun,
  source: AttackSource,
  violations: Violations,
  inFlight: Set<Placed>,
) {
  const { seed, seconds, timeoutSeconds, closeSeconds } = options
  const kinds = new Map<string, number>()
  const endings = new Map<string, number>()
  let requests = 0
  let worst: { readonly ms: number; readonly kind: string; readonly place: Position } | undefined
  let largest: Largest = { value: 0, file: undefined }
  let amplification: Largest = { value: 0, file: undefined }
  const over = AbortSignal.timeout(seconds * 1000)
  const timeoutMs = timeoutSeconds * 1000
  const { baseUrl, attackKey: key } = target
  const sending = { baseUrl, key, authHeader: options.authHeader, timeoutMs, signal }
  const sockets = serverSockets(baseUrl)
  let isDown = false
  let latest: readonly Placed[] = []
  const startedAt = performance.now()
  const elapsed = (): number => (performance.now() - startedAt) / 1000

  async function sendAndJudge(attack: Attack): Promise<{ outcome: Outcome; problem: string | undefined }> {
    if (attack.steps !== undefined)
      return await attackConnection(attack, { ...sending, closeMs: closeSeconds * 1000, sockets })
    const outcome = await sendAttack(attack, { ...sending, over })
    return { outcome, problem: problemOf(attack, outcome) }
  }

  async function send(placed: Placed): Promise<void> {
    inFlight.add(placed)
    const { outcome, problem } = await sendAndJudge(placed.attack)
    signal.throwIfAborted()
    // One of the attacks in flight, or that have just ended, is the cause; the outcomes of the others are consequences.
    if (problem === SERVICE_DOWN && !isDown) violations.add(problem, [...latest, ...inFlight])
    isDown ||= problem === SERVICE_DOWN
    inFlight.delete(placed)
    latest = [placed, ...latest].slice(0, options.connections)
    const { kind, stallMs, steps } = placed.attack
    const ending = outcome.ending === 'answered' ? String(outcome.status) : outcome.ending
    requests += 1
    count(kinds, kind)
    count(endings, ending)
    if (stallMs === undefined && steps === undefined && outcome.ms > (worst?.ms ?? 0))
      worst = { ms: Math.round(outcome.ms), kind, place: placed.place }
    source.learn?.(placed.attack, outcome)
    if (outcome.bytes > largest.value)
      largest = { value: outcome.bytes, file: violations.keep(placed, 'largest') }
    const factor = outcome.bytes / Math.max(1, lengthOf(placed.attack.pieces))
    if (factor > amplification.value)
      amplification = { value: factor, file: violations.keep(placed, 'amplification') }
    if (outcome.bytes > (options.answerBytes ?? Infinity))
      violations.add(`an answer of more than ${options.answerBytes} bytes`, [placed])
    if (problem !== undefined && !isDown) violations.add(`${kind}: ${problem}`, [placed])
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
        for (let number = 0; !isDown && !isDone(number); number += 1) {
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
    /** The slowest answer to a reader that does not stall. */
    worst,
    /** The largest answer, and the largest in proportion to its request. */
    largest,
    amplification,
  }
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

const sorted = (counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> =>
  Object.fromEntries([...counts].toSorted(([, a], [, b]) => b - a))
