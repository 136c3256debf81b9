// Runs the selected scenarios through the gateway, phase by phase, and judges their checks.
import { type CheckEnd, type CheckResult, endOf, headOf, judgeEnd, notRun } from '../../contract/result.ts'
import { CheckFailure, NotApplicable, OUTCOMES } from '../../contract/outcome.ts'
import { property } from '../../generate/property.ts'
import type { GatewaySettings } from './settings.ts'
import { type Bench, cross } from './cross.ts'
import { type Crossing, type GatewayCheck, type GatewayScenario, PHASES, type RunFacts } from './crossing.ts'
import type { GatewayProperty } from './scenarios/generated.ts'
import type { GatewaySelection } from './catalogue.ts'
import { hopsOf } from './verify.ts'

interface RunOptions {
  readonly selection: GatewaySelection
  readonly bench: Bench
  readonly facts: RunFacts
  readonly settings: Pick<GatewaySettings, 'concurrency' | 'runs' | 'strict'>
  readonly seed: number
  readonly onProgress: (done: number, total: number, doing: string) => void
}

/** Runs everything and returns the results, in the order of the checks, and the number of requests of the client. */
export async function runScenarios(
  options: RunOptions,
): Promise<{ readonly results: readonly CheckResult[]; readonly requests: number }> {
  const { selection, bench, settings, onProgress } = options
  const book = createBook(options)
  const total = selection.scenarios.length + selection.properties.length
  let requests = 0
  let done = 0

  async function runScenario(scenario: GatewayScenario): Promise<void> {
    onProgress(done, total, scenario.name)
    const startedMs = performance.now()
    const crossings = await cross(scenario, bench)
    requests += crossings.length
    for (const crossing of crossings) {
      const add = (check: GatewayCheck, durationMs: number): void => {
        const end = endOf(() => check.verify(crossing, options.facts))
        book.add(check, end, crossing, durationMs)
      }
      for (const check of scenario.checks) add(check, performance.now() - startedMs)
      for (const check of selection.everywhere) add(check, 0)
    }
    done += 1
  }

  try {
    for (const phase of PHASES) {
      const own = selection.scenarios.filter((scenario) => scenario.phase === phase)
      if (phase === 'down' && own.length > 0) await bench.service.close()
      // The slow ones begin first, so that the others run beside them.
      await inTurns(
        own.toSorted((one, other) => Number(other.isSlow ?? 0) - Number(one.isSlow ?? 0)),
        settings.concurrency,
        runScenario,
      )
      if (phase !== 'answers') continue
      for (const one of selection.properties) {
        onProgress(done, total, one.check.id)
        requests += await runProperty(one, options, book)
        done += 1
      }
    }
  } catch (error) {
    if (!bench.signal.aborted) throw error
  }
  return { results: book.results(), requests }
}

/** Sends generated scenarios one after the other, and judges the smallest that fails. Returns how many were sent. */
async function runProperty(
  { check, scenarios }: GatewayProperty,
  { bench, seed, settings: { runs }, facts }: RunOptions,
  book: Book,
): Promise<number> {
  const startedMs = performance.now()
  let sent = 0
  let latest: Crossing | undefined
  let refused: NotApplicable | undefined
  let judged = 0
  let end: CheckEnd = {}
  try {
    await property({ seed, runs }, scenarios, async (generated) => {
      const name = check.id.replace(/^gate\./, '')
      const [crossing] = await cross({ name, phase: 'answers', checks: [], ...generated }, bench)
      sent += 1
      if (crossing === undefined) return
      try {
        check.verify(crossing, facts)
        judged += 1
      } catch (error) {
        if (error instanceof NotApplicable) {
          refused = error
          return
        }
        if (error instanceof CheckFailure) latest = crossing
        throw error
      }
      latest ??= crossing
    })
    if (judged === 0 && refused !== undefined) end = { thrown: refused }
  } catch (thrown) {
    bench.signal.throwIfAborted()
    end = { thrown }
  }
  book.add(check, end, latest, performance.now() - startedMs)
  return sent
}

type Book = ReturnType<typeof createBook>

/** Keeps the worst end of each check: one of every crossing passes if one of them shows it and none contradicts it. */
function createBook({ selection, settings: { strict }, bench }: RunOptions) {
  const worst = new Map<string, CheckResult>()
  const isReported = new Set(selection.checks)
  return {
    /** Adds how a check ended. */
    add(check: GatewayCheck, end: CheckEnd, evidence: Crossing | undefined, durationMs: number): void {
      if (!isReported.has(check)) return
      const head = headOf(check)
      const judged = judgeEnd(end, head, { strict })
      const known = worst.get(check.id)
      if (known !== undefined && OUTCOMES.indexOf(known.outcome) <= OUTCOMES.indexOf(judged.outcome)) return
      worst.set(check.id, {
        ...head,
        durationMs: Math.round(durationMs),
        exchanges: [],
        hops: evidence === undefined ? [] : hopsOf(evidence),
        ...judged,
        ...(judged.mismatch === undefined ? {} : { attribution: 'gateway' as const }),
      })
    },
    results: (): readonly CheckResult[] =>
      selection.checks.map((check) => {
        const reason = bench.signal.aborted ? 'the run was interrupted' : 'no crossing shows it'
        return worst.get(check.id) ?? notRun(headOf(check), reason)
      }),
  }
}

/** Runs `work` for each item, so many at a time. */
async function inTurns<Item>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item) => Promise<void>,
) {
  const waiting = items.values()
  const workAll = async (): Promise<void> => {
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: concurrency }, workAll))
}
