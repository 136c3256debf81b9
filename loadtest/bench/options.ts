// The command line of the benchmarks.
import { type CommandLine, type ProgramSpec, readCommandLine } from '../../harness/cli/command-line.ts'
import { notEmpty, reportFile, whole } from '../../harness/cli/flag-values.ts'
import { HELP_FLAG, valuesOf } from '../../harness/cli/flags.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { workloads } from './workloads.ts'

const positive = whole(1, 1_000_000)
const [SERVER, LLAMA] = [['server'], ['llama']]

const FLAGS = {
  rounds: {
    usage: '--rounds N',
    read: positive,
    group: 'Measurement',
    about: 'Number of rounds; the result is their median',
    fallback: '9; 5 for `llama`',
  },
  seconds: {
    usage: '--seconds N',
    read: positive,
    about: 'Duration of one measurement in a round, in seconds',
    fallback: 1,
    commands: SERVER,
  },
  warmUp: {
    usage: '--warm-up SECONDS',
    read: positive,
    about: 'Duration of the load before the first round, in seconds',
    fallback: 10,
    commands: SERVER,
  },
  metrics: { usage: '--metrics', about: 'Measure the server with METRICS_PORT too', commands: SERVER },
  parts: { usage: '--parts', about: 'Measure parts of the server too', commands: SERVER },
  model: {
    usage: '--model FILE',
    read: notEmpty,
    multiple: true,
    about: 'GGUF file of the model; may be repeated',
    fallback: 'SmolLM2, if installed, and a random model',
    commands: LLAMA,
  },
  streams: {
    usage: '--streams N,…',
    read: (text: string, name: string) => text.split(',').map((count) => positive(count, name)),
    about: 'Numbers of concurrent streams',
    fallback: '1,8,32',
    commands: LLAMA,
  },
  tokens: {
    usage: '--tokens N',
    read: positive,
    about: 'Number of tokens of an answer',
    fallback: 64,
    commands: LLAMA,
  },
  json: { usage: '--json FILE', read: reportFile, group: 'Reports', about: 'Write the rows as JSON' },
  flame: {
    usage: '--flame FILE',
    read: reportFile,
    about: 'Write a flame graph of the server as SVG; this slows it down',
    commands: SERVER,
  },
  chart: {
    usage: '--chart FILE',
    read: reportFile,
    about: 'Write the curves of `growth` as SVG',
    commands: SERVER,
  },
  help: HELP_FLAG,
} as const

/** Measurements beside the workloads. */
const EXTRAS = ['limits', 'workers', 'peers', 'growth']
const NAMES = [...workloads.map(({ name }) => name), ...EXTRAS]

const BENCH: ProgramSpec = {
  name: 'npm run bench --',
  about: 'Measures the server, or inference, beside a reference in the same run.',
  flags: FLAGS,
  commands: [
    {
      name: 'server',
      about: 'Measure the server beside a bare node:http server (the default command)',
      operands: '[names...]',
      choices: NAMES,
      notes: `Names, each of which may be shortened (default: all workloads):
  ${workloads.map(({ name }) => name).join(', ')}: workloads
  limits: latency near the maximum rate, memory of open streams, start time
  workers: one process for each core beside a single process
  peers: the workloads with naive Hono and other mock servers too
  growth: processor time of a request against its size and the state of the server

Examples:
  npm run bench -- echo models
  npm run bench -- echo-streamed --flame flames.svg

Exit codes:
  0  measured
  2  wrong usage`,
    },
    {
      name: 'llama',
      about: 'Measure our inference beside llama-server on the same file',
      notes: `Programs to compare with (from the environment):
  LLAMA_SERVER_BIN         llama-server; unset: only our own inference is measured
  LLAMA_BATCHED_BENCH_BIN  llama-batched-bench, the upper bound

Example:
  npm run bench -- llama --streams 1,8 --rounds 3

Exit codes:
  0  measured
  2  wrong usage`,
    },
  ],
  notes: '`npm run bench -- COMMAND --help` prints the flags and examples of a command.',
}

/** Reads the command and checks its names. Throws `UsageError`. */
export function readCommand(args: readonly string[]): CommandLine {
  const line = readCommandLine(BENCH, args)
  const unknown = line.operands.find((name) => !NAMES.some((known) => known.startsWith(name)))
  if (unknown !== undefined)
    throw new UsageError(`expected names of benchmarks, ${NAMES.join(', ')}; received '${unknown}'`)
  return line
}

/** Reads the options of `server`. Throws `UsageError`. */
export function serverOptions(args: readonly string[]) {
  const { given, operands } = readCommand(args)
  const { one, isOn } = valuesOf(given)
  const [limits, workers, peers, growth] = EXTRAS.map((name) => operands.includes(name))
  const chosen = operands.filter((name) => !EXTRAS.includes(name))
  const isEvery = chosen.length === 0 && (peers || !(limits || workers || growth))
  const names = workloads
    .map(({ name }) => name)
    .filter((name) => isEvery || chosen.some((start) => name.startsWith(start)))
  return {
    names,
    jsonFile: one(FLAGS.json),
    flameFile: one(FLAGS.flame),
    chartFile: one(FLAGS.chart),
    parts: isOn(FLAGS.parts),
    metrics: isOn(FLAGS.metrics),
    peers: peers === true,
    limits: limits === true,
    workers: workers === true,
    growth: growth === true,
    rounds: one(FLAGS.rounds) ?? 9,
    seconds: one(FLAGS.seconds) ?? FLAGS.seconds.fallback,
    warmUpSeconds: one(FLAGS.warmUp) ?? FLAGS.warmUp.fallback,
  }
}

/** Reads the options of `llama`. Throws `UsageError`. */
export function llamaOptions(args: readonly string[]) {
  const { one, all } = valuesOf(readCommand(args).given)
  return {
    models: all(FLAGS.model),
    streamCounts: one(FLAGS.streams) ?? [1, 8, 32],
    rounds: one(FLAGS.rounds) ?? 5,
    tokens: one(FLAGS.tokens) ?? FLAGS.tokens.fallback,
    jsonFile: one(FLAGS.json),
  }
}
