// The command line of the benchmarks.
import { type ProgramSpec, readCommandLine } from '../../harness/cli/command-line.ts'
import { notEmpty, reportFile, whole } from '../../harness/cli/flag-values.ts'
import { HELP_FLAG, readFlags, flag } from '../../harness/cli/flags.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'

const positive = whole(1, 1_000_000)

const FLAGS = {
  rounds: flag('--rounds N', positive)
    .with({ group: 'Measurement', default: 9 })
    .means('Number of rounds; the result is their median'),
  seconds: flag('--seconds N', positive)
    .with({ default: 1 })
    .means('Duration of one measurement in a round, in seconds'),
  warmUp: flag('--warm-up SECONDS', positive)
    .with({ default: 10 })
    .means('Duration of the load before the first round, in seconds'),
  metrics: flag('--metrics').means('Measure the server with METRICS_PORT too'),
  model: flag('--model FILE', notEmpty)
    .with({
      multiple: true,
      group: 'Measurement of llama',
      fallback: 'SmolLM2, if installed, and a random model',
    })
    .means('GGUF file of the model; may be repeated'),
  streams: flag('--streams N,…', (text: string, name: string) =>
    text.split(',').map((count) => positive(count, name)),
  )
    .with({ fallback: '1,8,32' })
    .means('Numbers of concurrent streams'),
  tokens: flag('--tokens N', positive).with({ default: 64 }).means('Number of tokens of an answer'),
  json: flag('--json FILE', reportFile).with({ group: 'Reports' }).means('Write the rows as JSON'),
  help: HELP_FLAG,
} as const

/** The benchmarks by name, with their description in the help. `bench.ts` runs them. */
const BENCHMARKS = {
  'echo-plain': 'requests per second of a plain answer, beside a bare server',
  'echo-streamed': 'the same for a stream',
  models: 'the same for the list of models',
  limits: 'latency near the maximum rate, memory of open streams, start time',
  judge: 'processor time and memory of the judge, as requests, answers and recordings grow',
  llama: 'our inference beside llama-server on the same file',
} as const
export type Benchmark = keyof typeof BENCHMARKS
const NAMES = Object.keys(BENCHMARKS) as Benchmark[]
/** The benchmarks of a command line without names. */
const DEFAULT: readonly Benchmark[] = ['echo-plain', 'echo-streamed', 'models']

const BENCH: ProgramSpec = {
  name: 'npm run bench --',
  flags: FLAGS,
  commands: [
    {
      name: 'bench',
      about: 'Measure the server beside a bare node:http server, or inference beside llama-server.',
      operands: '[names...]',
      choices: NAMES,
      notes: `Names, each of which may be shortened (default: ${DEFAULT.join(', ')}):
${Object.entries(BENCHMARKS)
  .map(([name, about]) => `  ${name}: ${about}`)
  .join('\n')}

Programs that llama is compared with (from the environment):
  LLAMA_SERVER_BIN         llama-server; unset: only our own inference is measured
  LLAMA_BATCHED_BENCH_BIN  llama-batched-bench, the upper bound

Examples:
  npm run bench -- echo models
  npm run bench -- llama --streams 1,8

Exit codes:
  0  measured
  2  wrong usage`,
    },
  ],
}

export type BenchOptions = ReturnType<typeof readOptions>

/** Reads the options. Throws `UsageError`. */
export function readOptions(args: readonly string[]) {
  const { given, operands, help } = readCommandLine(BENCH, args)
  const unknown = operands.find((name) => !NAMES.some((known) => known.startsWith(name)))
  if (unknown !== undefined)
    throw new UsageError(`expected names of benchmarks, ${NAMES.join(', ')}; received '${unknown}'`)
  const { model, streams = [1, 8, 32], warmUp, ...values } = readFlags(FLAGS, given)
  const named = NAMES.filter((name) => operands.some((start) => name.startsWith(start)))
  return {
    ...values,
    help,
    names: named.length > 0 ? named : DEFAULT,
    models: model,
    streamCounts: streams,
    warmUpSeconds: warmUp,
  }
}
