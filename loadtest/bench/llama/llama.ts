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
import { limitOf, type Running, type Setup, startLlamaServer, startOurs, threadCounts } from './contenders.ts'
import { readOptions } from '../options.ts'
import { drawFlames } from '../flame.ts'
import { quantile } from '../../judges/judgement.ts'
import { medianInterval } from '../measure.ts'
import { folder } from '../processes.ts'
import type { Row } from '../table.ts'
import { lines, type Point } from './rows.ts'
import { benchPrompts, PROMPT_SIZES, type PromptContender } from './prompts.ts'
import { runStreams, type StreamFigures, type StreamLoad } from './stream-load.ts'

const SMOLLM = fileURLToPath(new URL('../../../models/SmolLM2-135M-Instruct.Q4_1.gguf', import.meta.url))
const RANDOM_MODEL = fileURLToPath(new URL('../../../fixtures/tiny-model/random-model.ts', import.meta.url))

const CONTEXT_TOKENS = 512
/** About the prompt length of this benchmark, in tokens, for llama-batched-bench, which has its own prompts. */
const PROMPT_TOKENS = 48
/** Streams at which the number of threads is chosen. */
const CHOOSING_STREAMS = 8
const CHOOSING_RUNS = 3
/** Slots of the servers that evaluate long prompts. */
const PROMPT_SLOTS = 4
/** Answers during which the flame graph is recorded. */
const FLAME_ANSWERS = 80

interface Contender {
  readonly name: string
  start(setup: Setup): Promise<Running>
}

/** A contender with its fastest number of threads. */
interface Chosen {
  readonly contender: Contender
  readonly threads: number
  readonly server: Running
  readonly tokensPerSecond: number
}

type Figures = Pick<StreamFigures, 'tokensPerSecond' | 'firstTokenMs'>

/** A program that runs in each round. */
interface Measured {
  readonly name: string
  readonly threads: number
  readonly server?: Running
  measureStreams(streams: number, run: number): Promise<Figures>
}

const { models, streamCounts, rounds, tokens, flameFile } = readOptions(process.argv.slice(2))
const running = new Set<Running>()

/** The points of all models, and the rows of their prompts. */
export async function benchLlama(): Promise<{
  readonly points: readonly Point[]
  readonly prompts: readonly Row[]
}> {
  const points: Point[] = []
  const prompts: Row[] = []
  try {
    for (const file of models.length > 0 ? models : await defaultModels()) {
      const chosen = await benchModel(file, points)
      prompts.push(...(await benchLongPrompts(file, chosen)))
    }
    if (flameFile !== undefined) await drawOneStream(flameFile)
  } finally {
    await Promise.all([...running].map((one) => one.stop()))
  }
  return { points, prompts }
}

/** Draws both processes of our server while it streams one answer after another. */
async function drawOneStream(flames: string): Promise<void> {
  const [file = ''] = models.length > 0 ? models : await defaultModels()
  const threads = availableParallelism()
  const server = await startOurs({ file, threads, slots: 1, contextTokens: CONTEXT_TOKENS }, true)
  running.add(server)
  await measure(server, { streams: 1, answers: FLAME_ANSWERS, tokens, run: 0 })
  running.delete(server)
  await drawFlames(server.process, flames, `One stream of ${basename(file, '.gguf')}`)
}

async function defaultModels(): Promise<string[]> {
  const random = join(folder, 'random-15m.gguf')
  await promisify(execFile)(process.execPath, [RANDOM_MODEL, random])
  if (!existsSync(SMOLLM)) process.stderr.write('SmolLM2 is missing: `npm run model` downloads it\n')
  return [...(existsSync(SMOLLM) ? [SMOLLM] : []), random]
}

function contenders(): Contender[] {
  const other = process.env['LLAMA_SERVER_BIN']
  return [
    { name: 'ours', start: startOurs },
    ...(other === undefined
      ? []
      : [{ name: 'llama-server', start: async (setup: Setup) => startLlamaServer(other, setup) }]),
  ]
}

/** Adds the points of one model. Returns the contenders with their fastest numbers of threads. */
async function benchModel(file: string, points: Point[]): Promise<Chosen[]> {
  const slots = Math.max(...streamCounts)
  const setup = { file, slots, contextTokens: CONTEXT_TOKENS }
  const chosen: Chosen[] = []
  for (const contender of contenders()) chosen.push(await fastest(contender, setup))
  // Warm-up, not counted: it fills the slots and compiles the code.
  for (const { server } of chosen) await measure(server, { streams: slots, answers: 1, tokens, run: 0 })
  const all = [...chosen.map(overHttp), ...limits(setup)]

  const measured = streamCounts.map((streams) => ({ streams, figures: all.map((): Figures[] => []) }))
  for (let round = 0; round < rounds; round += 1) {
    for (const { streams, figures } of measured) {
      const inTurn = [...all.entries()]
      for (const [index, { name, measureStreams }] of round % 2 === 0 ? inTurn : inTurn.toReversed()) {
        const figure = await measureStreams(streams, round + 1)
        figures[index]?.push(figure)
        report(`round ${round + 1}, ×${streams}: ${name} ${figure.tokensPerSecond.toFixed(0)} tokens/s`)
      }
    }
  }
  const own = measured.flatMap(({ streams, figures }) =>
    all.map(({ name, threads, server }, index): Point => {
      const rates = (figures[index] ?? []).map(({ tokensPerSecond }) => tokensPerSecond)
      const [ours = []] = figures
      const ratios = rates.map((rate, round) => (ours[round]?.tokensPerSecond ?? NaN) / rate)
      const waits = (figures[index] ?? []).flatMap(({ firstTokenMs }) => firstTokenMs)
      return {
        model: basename(file, '.gguf'),
        streams,
        contender: name,
        threads,
        tokensPerSecond: quantile(rates, 0.5),
        oursToThis: index === 0 ? undefined : quantile(ratios, 0.5),
        interval: index === 0 ? undefined : medianInterval(ratios),
        firstTokenP50Ms: quantile(waits, 0.5),
        firstTokenP95Ms: quantile(waits, 0.95),
        peakMegabytes: server?.peakMegabytes(),
      }
    }),
  )
  for (const { server } of chosen) await stop(server)
  process.stdout.write(lines(own))
  points.push(...own)
  return chosen
}

/** Starts the contenders again, with a context for long prompts, which few slots can have. */
async function benchLongPrompts(file: string, chosen: readonly Chosen[]): Promise<Row[]> {
  const setup = { file, slots: PROMPT_SLOTS, contextTokens: Math.max(...PROMPT_SIZES) + CONTEXT_TOKENS }
  const started: PromptContender[] = []
  for (const { contender, threads } of chosen) {
    const server = await contender.start({ ...setup, threads })
    running.add(server)
    started.push({ name: contender.name, server })
  }
  const [ours, ...others] = started
  const rows = ours === undefined ? [] : await benchPrompts(file, [ours, ...others], rounds)
  for (const { server } of started) await stop(server)
  return rows
}

/** Starts a contender with each number of threads, and keeps the fastest. */
async function fastest(contender: Contender, setup: Omit<Setup, 'threads'>): Promise<Chosen> {
  const tried: Chosen[] = []
  for (const threads of threadCounts()) {
    const server = await contender.start({ ...setup, threads })
    running.add(server)
    const streams = Math.min(CHOOSING_STREAMS, setup.slots)
    await measure(server, { streams: 1, answers: 1, tokens: 8, run: -CHOOSING_RUNS })
    const rates: number[] = []
    for (let attempt = 0; attempt < CHOOSING_RUNS; attempt += 1) {
      const { tokensPerSecond } = await measure(server, { streams, answers: 1, tokens, run: -attempt })
      rates.push(tokensPerSecond)
    }
    // The best attempt: other work of the machine only makes an attempt slower.
    const tokensPerSecond = Math.max(...rates)
    report(`${contender.name} with ${threads} threads: ${tokensPerSecond.toFixed(0)} tokens/s`)
    tried.push({ contender, threads, server, tokensPerSecond })
  }
  const [best, ...others] = tried.toSorted((a, b) => b.tokensPerSecond - a.tokensPerSecond)
  if (best === undefined) throw new Error('no number of threads was tried')
  for (const { server } of others) await stop(server)
  return best
}

/** Runs the streams. If the server crashes, the error is its exit, not a lost connection. */
async function measure(server: Running, load: Omit<StreamLoad, keyof Running>): Promise<StreamFigures> {
  try {
    return await Promise.race([runStreams({ ...server, ...load }), server.died])
  } catch (error) {
    await Promise.race([server.died, sleep(1000)])
    throw error
  }
}

function overHttp({ contender, threads, server }: Chosen): Measured {
  return {
    name: contender.name,
    threads,
    server,
    measureStreams: async (streams, run) => measure(server, { streams, ...load(streams), run }),
  }
}

/** llama-batched-bench, if there is one. */
function limits(setup: Omit<Setup, 'threads'>): Measured[] {
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

async function stop(server: Running): Promise<void> {
  running.delete(server)
  await server.stop()
}

/** Reports progress: a whole run takes minutes. */
function report(line: string): void {
  process.stderr.write(`${line}\n`)
}

function load(streams: number): { answers: number; tokens: number } {
  return { answers: streams === 1 ? 4 : streams < CHOOSING_STREAMS * 2 ? 2 : 1, tokens }
}
