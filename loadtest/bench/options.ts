// The command line of the benchmarks.
import { type ProgramSpec, readCommandLine } from '../../harness/cli/command-line.ts'
import { notEmpty, reportFile, whole } from '../../harness/cli/flag-values.ts'
import { HELP_FLAG, valuesOf } from '../../harness/cli/flags.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { workloads } from './workloads.ts'

const positive = whole(1, 1_000_000)

const FLAGS = {
  rounds: {
    usage: '--rounds N',
    read: positive,
    group: 'Measurement',
    about: 'Number of rounds; the result is their median',
    fallback: 9,
  },
  seconds: {
    usage: '--seconds N',
    read: positive,
    about: 'Duration of one measurement in a round, in seconds',
    fallback: 1,
  },
  warmUp: {
    usage: '--warm-up SECONDS',
    read: positive,
    about: 'Duration of the load before the first round, in seconds',
    fallback: 10,
  },
  metrics: { usage: '--metrics', about: 'Measure the server with METRICS_PORT too' },
  parts: { usage: '--parts', about: 'Measure parts of the server too' },
  model: {
    usage: '--model FILE',
    read: notEmpty,
    multiple: true,
    group: 'Measurement of llama',
    about: 'GGUF file of the model; may be repeated',
    fallback: 'SmolLM2, if installed, and a random model',
  },
  streams: {
    usage: '--streams N,…',
    read: (text: string, name: string) => text.split(',').map((count) => positive(count, name)),
    about: 'Numbers of concurrent streams',
    fallback: '1,8,32',
  },
  tokens: {
    usage: '--tokens N',
    read: positive,
    about: 'Number of tokens of an answer',
    fallback: 64,
  },
  json: { usage: '--json FILE', read: reportFile, group: 'Reports', about: 'Write the rows as JSON' },
  flame: {
    usage: '--flame FILE',
    read: reportFile,
    about: 'Write a flame graph of the server as SVG; this slows it down',
  },
  chart: {
    usage: '--chart FILE',
    read: reportFile,
    about: 'Write the curves of `growth` as SVG',
  },
  help: HELP_FLAG,
} as const

/** Measurements beside the workloads. */
const EXTRAS = ['limits', 'workers', 'peers', 'growth', 'llama'] as const
const NAMES = [...workloads.map(({ name }) => name), ...EXTRAS]

const BENCH: ProgramSpec = {
  name: 'npm run bench --',
  flags: FLAGS,
  commands: [
    {
      name: 'bench',
      about: 'Measure the server beside a bare node:http server, or inference beside llama-server.',
      operands: '[names...]',
      choices: NAMES,
      notes: `Names, each of which may be shortened (default: all workloads):
  ${workloads.map(({ name }) => name).join(', ')}: workloads
  limits: latency near the maximum rate, memory of open streams, start time
  workers: one worker for each core beside a single process, and the same on one core
  peers: the workloads with naive Hono and other mock servers too
  growth: processor time of a request against its size and the state of the server
  llama: our inference beside llama-server on the same file

Programs that llama is compared with (from the environment):
  LLAMA_SERVER_BIN         llama-server; unset: only our own inference is measured
  LLAMA_BATCHED_BENCH_BIN  llama-batched-bench, the upper bound

Examples:
  npm run bench -- echo models
  npm run bench -- echo-streamed --flame flames.svg
  npm run bench -- llama --streams 1,8

Exit codes:
  0  measured
  2  wrong usage`,
    },
  ],
}

/** Reads the options. Throws `UsageError`. */
export function readOptions(args: readonly string[]) {
  const { given, operands, help } = readCommandLine(BENCH, args)
  const unknown = operands.find((name) => !NAMES.some((known) => known.startsWith(name)))
  if (unknown !== undefined)
    throw new UsageError(`expected names of benchmarks, ${NAMES.join(', ')}; received '${unknown}'`)
  const { one, all, isOn } = valuesOf(given)
  const isNamed = (name: string): boolean => operands.some((start) => name.startsWith(start))
  const [limits, workers, peers, growth, llama] = EXTRAS.map(isNamed)
  const named = workloads.map(({ name }) => name).filter(isNamed)
  const isEvery = named.length === 0 && (peers || operands.length === 0)
  return {
    help,
    names: isEvery ? workloads.map(({ name }) => name) : named,
    jsonFile: one(FLAGS.json),
    flameFile: one(FLAGS.flame),
    chartFile: one(FLAGS.chart),
    parts: isOn(FLAGS.parts),
    metrics: isOn(FLAGS.metrics),
    peers: peers === true,
    limits: limits === true,
    workers: workers === true,
    growth: growth === true,
    llama: llama === true,
    models: all(FLAGS.model),
    streamCounts: one(FLAGS.streams) ?? [1, 8, 32],
    tokens: one(FLAGS.tokens) ?? FLAGS.tokens.fallback,
    rounds: one(FLAGS.rounds) ?? FLAGS.rounds.fallback,
    seconds: one(FLAGS.seconds) ?? FLAGS.seconds.fallback,
    warmUpSeconds: one(FLAGS.warmUp) ?? FLAGS.warmUp.fallback,
  }
}
