// Compares our inference with llama-server on the same file, over HTTP, streamed, each with its
// fastest number of threads. They run in turn, round by round; a ratio is the median over the rounds. LLAMA_SERVER_BIN
// names llama-server and LLAMA_BATCHED_BENCH_BIN the upper limit; without them ours runs alone.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { quantile } from '../../theory/statistics.ts'
import type { BenchOptions } from '../bench-options.ts'
import { folder } from '../bench-processes.ts'
import { comparedRows, type Figure } from '../bench-rows.ts'
import { inRounds } from '../compare-rounds.ts'
import { benchPrompts, PROMPT_SIZES } from './bench-prompts.ts'
import {
  limitOf,
  type Running,
  type Setup,
  startLlamaServer,
  startOurs,
  threadCounts,
} from './llama-servers.ts'
import { runStreams, type StreamFigures } from './run-streams.ts'

const SMOLLM = fileURLToPath(new URL('../../../models/SmolLM2-135M-Instruct.Q4_1.gguf', import.meta.url))
const RANDOM_MODEL = fileURLToPath(new URL('../../../fixtures/tiny-model/random-model.ts', import.meta.url))

const CONTEXT_TOKENS = 512
/** About the prompt length of this benchmark, in tokens, for llama-batched-bench, which has its own prompts. */
const PROMPT_TOKENS = 48
/** The number of streams with which the number of threads is chosen. */
const CHOOSING_STREAMS = 8
const CHOOSING_RUNS = 3
/** Slots of the servers that evaluate long prompts. */
const PROMPT_SLOTS = 4

type LlamaOptions = Pick<BenchOptions, 'models' | 'streamCounts' | 'rounds' | 'tokens'>
type Start = (setup: Setup) => Promise<Running>

/** A server with its fastest number of threads. */
interface Chosen {
  readonly name: string
  readonly start: Start
  readonly threads: number
  readonly server: Running
  readonly tokensPerSecond: number
}

type Figures = Pick<StreamFigures, 'tokensPerSecond' | 'firstTokenMs'>

/** A program that runs in each round. */
interface Measured {
  readonly name: string
  readonly threads: number
  measureStreams(streams: number, run: number): Promise<Figures>
}

/** The figures of all models, with the rows of long prompts at the end. Leaves no server running unless it throws. */
export async function benchLlama(options: LlamaOptions): Promise<Figure[]> {
  const [rows, prompts]: [Figure[], Figure[]] = [[], []]
  for (const file of options.models.length > 0 ? options.models : await defaultModels()) {
    const slots = Math.max(...options.streamCounts)
    const setup = { file, slots, contextTokens: CONTEXT_TOKENS }
    const chosen: Chosen[] = []
    for (const [name, start] of servers()) chosen.push(await fastest(name, start, setup, options.tokens))
    rows.push(...(await benchModel(chosen, setup, options)))
    for (const { server } of chosen) await server.stop()
    prompts.push(...(await benchLongPrompts(file, chosen, options.rounds)))
  }
  return [...rows, ...prompts]
}

async function defaultModels(): Promise<string[]> {
  const random = join(folder, 'random-15m.gguf')
  await promisify(execFile)(process.execPath, [RANDOM_MODEL, random])
  if (!existsSync(SMOLLM)) process.stderr.write('SmolLM2 is missing: `npx touchstone model` downloads it\n')
  return [...(existsSync(SMOLLM) ? [SMOLLM] : []), random]
}

function servers(): readonly (readonly [name: string, start: Start])[] {
  const other = process.env['LLAMA_SERVER_BIN']
  const ours = ['ours', startOurs] as const
  return other === undefined ? [ours] : [ours, ['llama-server', (setup) => startLlamaServer(other, setup)]]
}

async function benchModel(
  chosen: readonly Chosen[],
  setup: Omit<Setup, 'threads'>,
  { streamCounts, rounds, tokens }: LlamaOptions,
): Promise<Figure[]> {
  // Warm-up, not counted: it fills the slots and compiles the code.
  for (const { server } of chosen) await measure(server, { streams: setup.slots, answers: 1, tokens, run: 0 })
  const all: readonly Measured[] = [
    ...chosen.map(({ name, threads, server }) => ({
      name,
      threads,
      measureStreams: (streams: number, run: number) =>
        measure(server, { streams, answers: answersOf(streams), tokens, run }),
    })),
    ...upperLimit(setup, tokens),
  ]
  const cells = streamCounts.flatMap((streams) => all.map((one) => ({ streams, ...one })))
  const figures = await inRounds(
    rounds,
    cells.map(({ streams, name, measureStreams }) => async (round) => {
      const figure = await measureStreams(streams, round)
      report(`round ${round}, ×${streams}: ${name} ${figure.tokensPerSecond.toFixed(0)} tokens/s`)
      return figure
    }),
  )
  const name = `llama: ${basename(setup.file, '.gguf')}, ${chosen[0]?.threads} threads`
  const names = all.map((one) => `${one.name}, ${one.threads} threads`)
  const rows = streamCounts.flatMap((streams, place) => {
    const own = figures.slice(place * all.length, (place + 1) * all.length)
    const row = (metric: string) => ({ name: `${name} ×${streams}`, metric })
    const rates = own.map((rounds) => rounds.map(({ tokensPerSecond }) => tokensPerSecond))
    // llama-batched-bench, the last one, has no requests.
    const waits = (share: number): number[][] =>
      own
        .slice(0, chosen.length)
        .map((rounds) => rounds.map(({ firstTokenMs }) => quantile(firstTokenMs, share)))
    return [
      ...comparedRows(row('tokens/s'), rates, names, { isCost: false }),
      ...comparedRows(row('ms to the first token, p50'), waits(0.5), names, { isCost: true }),
      ...comparedRows(row('ms to the first token, p95'), waits(0.95), names, { isCost: true }),
    ]
  })
  const peaks = chosen.map(({ server }) => [server.peakMegabytes() ?? NaN])
  return [...rows, ...comparedRows({ name, metric: 'peak MiB' }, peaks, names, { isCost: true })]
}

/** Starts the servers again, with a context for long prompts, which few slots can have. */
async function benchLongPrompts(file: string, chosen: readonly Chosen[], rounds: number): Promise<Figure[]> {
  const setup = { file, slots: PROMPT_SLOTS, contextTokens: Math.max(...PROMPT_SIZES) + CONTEXT_TOKENS }
  const started: { name: string; server: Running }[] = []
  for (const { name, start, threads } of chosen)
    started.push({ name, server: await start({ ...setup, threads }) })
  const [ours, ...others] = started
  const rows = ours === undefined ? [] : await benchPrompts(file, [ours, ...others], rounds)
  for (const { server } of started) await server.stop()
  return rows
}

/** Starts a server with each number of threads, and keeps the fastest. */
async function fastest(
  name: string,
  start: Start,
  setup: Omit<Setup, 'threads'>,
  tokens: number,
): Promise<Chosen> {
  const tried: Chosen[] = []
  for (const threads of threadCounts()) {
    const server = await start({ ...setup, threads })
    const streams = Math.min(CHOOSING_STREAMS, setup.slots)
    await measure(server, { streams: 1, answers: 1, tokens: 8, run: -CHOOSING_RUNS })
    const rates: number[] = []
    for (let attempt = 0; attempt < CHOOSING_RUNS; attempt += 1) {
      const { tokensPerSecond } = await measure(server, { streams, answers: 1, tokens, run: -attempt })
      rates.push(tokensPerSecond)
    }
    // The best attempt, because other work of the machine makes attempts slower.
    const tokensPerSecond = Math.max(...rates)
    report(`${name} with ${threads} threads: ${tokensPerSecond.toFixed(0)} tokens/s`)
    tried.push({ name, start, threads, server, tokensPerSecond })
  }
  const [best, ...others] = tried.toSorted((a, b) => b.tokensPerSecond - a.tokensPerSecond)
  if (best === undefined) throw new Error('no number of threads was tried')
  for (const { server } of others) await server.stop()
  return best
}

interface Stories {
  readonly streams: number
  readonly answers: number
  readonly tokens: number
  /** Makes the prompts of each run different: a server may have cached those of another run. */
  readonly run: number
}

/** Requests long stories. If the server crashes, the error is its exit, not a lost connection. */
async function measure(server: Running, { run, ...sizes }: Stories): Promise<StreamFigures> {
  const prompt = (answer: number) => ({
    system: 'You write long stories in plain words, and never stop early.',
    user: `Write the story of stone number ${run}.${answer}.`,
  })
  try {
    return await Promise.race([runStreams({ ...server, ...sizes, prompt }), server.died])
  } catch (error) {
    await Promise.race([server.died, sleep(1000)])
    throw error
  }
}

/** llama-batched-bench, if there is one. */
function upperLimit(setup: Omit<Setup, 'threads'>, tokens: number): Measured[] {
  const binary = process.env['LLAMA_BATCHED_BENCH_BIN']
  if (binary === undefined) return []
  const threads = availableParallelism()
  return [
    {
      name: 'llama-batched-bench',
      threads,
      async measureStreams(streams) {
        const sizes = { streams, promptTokens: PROMPT_TOKENS, tokens }
        return { tokensPerSecond: await limitOf(binary, { ...setup, threads }, sizes), firstTokenMs: [] }
      },
    },
  ]
}

/** Answers of each stream in a round: a single stream needs more of them for a steady figure. */
function answersOf(streams: number): number {
  return streams === 1 ? 4 : streams < CHOOSING_STREAMS * 2 ? 2 : 1
}

/** Reports progress: a whole run takes minutes. */
function report(line: string): void {
  process.stderr.write(`${line}\n`)
}
