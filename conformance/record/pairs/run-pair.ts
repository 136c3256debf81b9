// Runs the uses of a client with a server, and makes the entry of the pair.
import { CATALOGUE_VERSION } from '../../../spec/catalogue/requirements.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { ending, type StartClient } from '../../../harness/judged-program.ts'
import { inTurns } from '../../../harness/waiting.ts'
import { loadRecording } from '../../subjects/index.ts'
import { thisPlatform } from '../results/add-entry.ts'
import { PAIR_SCHEMA, type Pair, type UseId, type Used } from '../results/pair-entry.ts'
import type { createEvidence } from './evidence.ts'
import { isCompletion, judgeUse } from './judge-use.ts'
import type { Judged, NotShown, Passive } from './judged.ts'
import type { OpenServer } from './pair-server.ts'
import { type UseRun, runUse } from './run-use.ts'
import { type Use, useOf } from './uses.ts'

/** How often a use is tried that the model decides about, before its request leaves the model no choice. */
const TRIES = 3

export interface PairOptions {
  readonly client: Pair['client']
  readonly start: StartClient
  /** The page of the client's documentation for each use that it does not offer. */
  readonly notOffered: Readonly<Partial<Record<string, string>>>
  readonly server: OpenServer
  readonly uses: readonly UseId[]
  readonly evidence: ReturnType<typeof createEvidence>
  /** The command that repeats a use, or all of them. */
  readonly repeat: (use?: UseId) => string
  /** The commands before it, which install the client. */
  readonly before: readonly string[]
  /** Programs that run side by side. */
  readonly concurrency: number
  readonly timeoutMs: number
  readonly judge: string
  readonly now: Date
  readonly signal: AbortSignal
  readonly onUse?: (id: UseId) => void
}

/** A use that was run to a verdict. */
interface Tried extends Judged {
  readonly isScripted: boolean
  readonly runs: readonly UseRun[]
}

/** Runs the uses. Throws `UsageError` if the program cannot be started, or never sends a request. */
export async function runPair(options: PairOptions): Promise<Pair> {
  const { client, server, uses, evidence, repeat, notOffered, onUse } = options
  const startedMs = performance.now()
  const recording = await loadRecording()
  const tried = await inTurns(uses, options.concurrency, async (id): Promise<[UseId, Tried | undefined]> => {
    const found = notOffered[id] === undefined ? await tryUse(useOf(id)) : undefined
    onUse?.(id)
    return [id, found]
  })
  requireRequests(tried.flatMap(([, found]) => found?.runs ?? []))
  for (const [, found] of tried) for (const { exchanges } of found?.runs ?? []) evidence.add(exchanges)
  const { digest, summaryOf } = evidence.close()
  return {
    schema: PAIR_SCHEMA,
    catalogue: CATALOGUE_VERSION,
    client,
    server: server.about,
    date: options.now.toISOString().slice(0, 10),
    judge: options.judge,
    platform: thisPlatform(),
    reproduce: [...options.before, repeat()],
    evidence: digest,
    seconds: Math.round((performance.now() - startedMs) / 1000),
    uses: Object.fromEntries(tried.map(([id, found]) => [id, usedOf(id, found)])),
  }

  function usedOf(id: UseId, found: Tried | undefined): Used {
    const documentation = notOffered[id]
    if (found === undefined)
      return {
        verdict: 'not-offered',
        side: 'client',
        text: 'The documentation of the client shows that it does not offer it.',
        ...(documentation === undefined ? {} : { documentation }),
        repeat: repeat(id),
      }
    const { verdict, side, requirement, text, shown, isScripted } = found
    return {
      verdict,
      ...(side === undefined ? {} : { side }),
      ...(requirement === undefined ? {} : { requirement }),
      text,
      ...(shown === undefined ? {} : { exchange: summaryOf(shown) }),
      ...(isScripted ? { fromProxy: true as const } : {}),
      repeat: repeat(id),
    }
  }

  /** Tries a use until it comes about: some times as it is, then with a request that leaves no choice. */
  async function tryUse(use: Use): Promise<Tried> {
    const runs: UseRun[] = []
    const attempt = async (isScripted: boolean, forced?: Use['forced']): Promise<Judged | NotShown> => {
      const run = await runUse(use, { ...options, isScripted, forced })
      runs.push(run)
      return judgeUse(use, run, passiveOf(run))
    }
    let found = await attempt(use.script?.when === 'always')
    for (let tries = 1; 'reason' in found && use.forced !== undefined && tries < TRIES; tries += 1)
      found = await attempt(false)
    if ('reason' in found && use.forced !== undefined) {
      const forced = await attempt(false, use.forced)
      // A refusal of the force is none of the use.
      if ('reason' in forced || forced.verdict !== 'not-offered') found = forced
    }
    if ('reason' in found && found.isAccepted === true && use.script !== undefined)
      found = await attempt(true)
    const isScripted = runs.at(-1)?.isScripted === true
    if (!('reason' in found)) return { ...found, isScripted, runs }
    return { verdict: 'not-tried', text: found.reason, shown: found.shown, isScripted, runs }
  }

  function passiveOf({ exchanges, isScripted }: UseRun): Passive {
    const judge = (subject: 'server' | 'client') =>
      recording.judgeExchanges(exchanges, { baseUrl: server.baseUrl, profile: 'wire', subject })
    return { server: isScripted ? [] : judge('server'), client: judge('client') }
  }
}

/** Throws if no run sent a request: the program does not work at all, for example because it is not installed. */
function requireRequests(runs: readonly UseRun[]): void {
  const [first] = runs
  if (first === undefined || runs.some(({ exchanges }) => exchanges.some(isCompletion))) return
  throw new UsageError(`the program sent no request: ${ending(first.end)}; is it installed?`)
}
