// One measurement of streams: opens the service, runs the generators, and judges their records.
import { createReadStream } from 'node:fs'
import { availableParallelism } from 'node:os'
import { createProgress } from '../../harness/cli/progress.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { reachService } from '../../harness/http/find-base.ts'
import { connectionOf } from '../../harness/http/connection.ts'
import type { Probe } from '../../harness/http/probe.ts'
import { json } from '../../harness/http/exchange.ts'
import { at } from '../../harness/json-value.ts'
import { DEFAULT_LATENCY_SECONDS, DEFAULT_STREAM_RATE, DEFAULT_TOKENS } from './stream-flags.ts'
import type { LoadTestOptions } from './loadtest-options.ts'
import { ECHO_MODEL, firstModel, keysOf, type LoadTest, openService } from './open-target.ts'
import {
  type LatencyPlan,
  type LoadModel,
  MOST_CONVERSATIONS,
  type Tokenizer,
  randomOf,
  words,
} from '../generator/stream-plan.ts'
import { type GeneratorLine, type LatencyRecord, combine, readLines } from '../generator/stream-record.ts'
import { runGenerators } from '../generator/run-generators.ts'
import { type LatencyVerdict, judgeLatency } from '../latency/latency-verdict.ts'

type StreamTarget = Awaited<ReturnType<typeof openStreamTarget>>

/** Throws `UsageError` and the errors of its steps. Always revokes the keys and stops the processes that it created. */
export async function measureLatency(
  test: LoadTest,
): Promise<{ readonly planned: LatencyPlan } | { readonly verdict: LatencyVerdict }> {
  const { options, signal } = test
  if (options.plan || options.record.length > 0) {
    const { baseUrl = '', model } = options
    if (model === undefined) throw new UsageError('--plan and --record: --model is needed')
    const plan = planOf(options, { baseUrl, model })
    if (!options.plan) return { verdict: judge(options, plan, await readRecords(options.record)) }
    const { startIn } = options
    return { planned: { ...plan, startsAt: startIn && Date.now() + startIn * 1000 } }
  }
  const target = await openStreamTarget(test)
  const progress = createProgress(process.stderr, () => performance.now(), 'seconds')
  try {
    const plan = planOf(options, target)
    const { keys } = target
    const { processes } = options
    const startedAt = performance.now()
    let ended = 0
    const inFlight = new Map<number, number>()
    const onLine = (line: GeneratorLine): void => {
      if (line.type === 'stream') ended += 1
      if (line.type === 'progress') inFlight.set(line.segment, line.inFlight)
      const seconds = Math.min(plan.seconds, Math.round((performance.now() - startedAt) / 1000))
      const streaming = [...inFlight.values()].reduce((sum, count) => sum + count, 0)
      progress.update(seconds, plan.seconds, `${ended} streams ended, ${streaming} in flight`)
    }
    const record = await runGenerators({ plan, keys, processes, signal, onLine })
    return { verdict: judge(options, plan, record) }
  } finally {
    progress.end()
    await target.close()
  }
}

function judge(options: LoadTestOptions, plan: LatencyPlan, record: LatencyRecord): LatencyVerdict {
  const { slo, sloShare } = options
  return judgeLatency({ plan, record, slo, sloShare, cores: availableParallelism() })
}

/** The plan of these options. Throws `UsageError` if it is too large. */
export function planOf(
  options: LoadTestOptions,
  target: Pick<StreamTarget, 'baseUrl' | 'model'> & Partial<Pick<StreamTarget, 'tokenizer'>>,
  load: LoadModel = loadOf(options),
): LatencyPlan {
  const { seconds = DEFAULT_LATENCY_SECONDS } = options
  if (load.model === 'open' && load.ratePerSecond * seconds > MOST_CONVERSATIONS)
    throw new UsageError(`--rate and --seconds: expected at most ${MOST_CONVERSATIONS} requests in all`)
  return {
    schema: 'touchstone.latency-plan/1',
    baseUrl: target.baseUrl,
    authHeader: options.authHeader,
    model: target.model,
    load,
    seconds,
    seed: options.seed,
    promptTokens: options.promptTokens ?? DEFAULT_TOKENS,
    answerTokens: options.answerTokens,
    tokenizer: target.tokenizer,
    sharedPrefixTokens: options.sharedPrefix,
    turns: options.turns,
    prompts: options.prompts,
    usage: options.usage,
    timeoutSeconds: options.timeoutSeconds,
    stopsEarly: false,
  }
}

function loadOf({ concurrency, arrivals, rate = DEFAULT_STREAM_RATE }: LoadTestOptions): LoadModel {
  return concurrency === undefined
    ? { model: 'open', arrivals, ratePerSecond: rate }
    : { model: 'closed', concurrency }
}

/** Opens the service, and makes a key if it can. Throws `UsageError` if no key is given or nothing answers. */
export async function openStreamTarget(test: LoadTest) {
  const { options, env, redactor, signal } = test
  return await openService(test, {}, async ({ baseUrl, maker }) => {
    const given = options.baseUrl === undefined ? [] : keysOf(env)
    const keys = given.length === 0 && maker !== undefined ? [(await maker.create({})).secret] : given
    const [key] = keys
    if (key === undefined)
      throw new UsageError(
        'latency needs a key: set LOADTEST_KEYS, CONFORMANCE_API_KEY or LOADTEST_KEY_COMMAND',
      )
    for (const secret of keys) redactor.add(secret)
    const timeoutMs = options.timeoutSeconds * 1000
    const own = options.baseUrl === undefined ? ECHO_MODEL : undefined
    const { authHeader } = options
    const reaching = { baseUrl, key, authHeader, timeoutMs, connection: connectionOf(env) }
    const named = options.model ?? own
    const { probe, list, ...found } = await reachService(reaching, named, signal)
    try {
      const model = named ?? firstModel(list)
      const tokenizer =
        options.promptTokens === undefined ? undefined : await tokenizerOf(probe, model, signal)
      return { ...found, model, keys, tokenizer }
    } finally {
      probe.close()
    }
  })
}

/** The words of the two prompts that show how the service counts. */
const SAMPLE_WORDS = [20, 120] as const

/** Derives the tokens per word of a prompt from two short answers; undefined if the service does not report them. */
async function tokenizerOf(probe: Probe, model: string, signal: AbortSignal): Promise<Tokenizer | undefined> {
  const counts: number[] = []
  for (const count of SAMPLE_WORDS) {
    const content = words(count, randomOf(0, 0, count))
    const body = JSON.stringify({ model, messages: [{ role: 'user', content }], max_tokens: 1 })
    const answer = await probe.send({ path: '/v1/chat/completions', body }, signal)
    const tokens = at(json(answer), 'usage', 'prompt_tokens')
    if (typeof tokens !== 'number') return undefined
    counts.push(tokens)
  }
  const [few = 0, many = 0] = counts
  const tokensPerWord = (many - few) / (SAMPLE_WORDS[1] - SAMPLE_WORDS[0])
  if (!(tokensPerWord > 0)) return undefined
  return { tokensPerWord, frameTokens: Math.max(0, few - tokensPerWord * SAMPLE_WORDS[0]) }
}

/** Reads the files of generators on other machines. Throws `UsageError` with the file's name. */
async function readRecords(files: readonly string[]): Promise<LatencyRecord> {
  const lines: GeneratorLine[] = []
  for (const file of files)
    try {
      for await (const line of readLines(createReadStream(file))) lines.push(line)
    } catch (error) {
      throw new UsageError(`--record: ${file}: ${error instanceof Error ? error.message : String(error)}`)
    }
  return combine(lines)
}
