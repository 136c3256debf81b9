// The command line of the benchmarks.
import { type ProgramSpec, readCommandLine } from '../../harness/cli/command-line.ts'
import { notEmpty, reportFile, whole } from '../../harness/cli/flag-values.ts'
import { HELP_FLAG, readFlags, flag } from '../../harness/cli/flags.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { workloads } from './http-workloads.ts'

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
  parts: flag('--parts').means('Measure parts of the server too'),
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
  data: flag('--data DIR', notEmpty)
    .with({ group: 'Measurement of schemas' })
    .means('Folder of the schemas, a checkout of guidance-ai/jsonschemabench'),
  json: flag('--json FILE', reportFile).with({ group: 'Reports' }).means('Write the rows as JSON'),
  help: HELP_FLAG,
} as const

/** Measurements beside the workloads. */
const EXTRAS = ['limits', 'workers', 'judge', 'peers', 'llama', 'schemas'] as const
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
  judge: processor time and memory of the judge, as requests, answers and recordings grow
  peers: the workloads with naive Hono and other mock servers too
  llama: our inference beside llama-server on the same file
  schemas: which of the JSON Schemas of --data the echo model accepts, and which of their values it keeps

Programs that llama is compared with (from the environment):
  LLAMA_SERVER_BIN         llama-server; unset: only our own inference is measured
  LLAMA_BATCHED_BENCH_BIN  llama-batched-bench, the upper bound

Examples:
  npm run bench -- echo models
  npm run bench -- llama --streams 1,8
  npm run bench -- schemas --data ../jsonschemabench

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
  if (operands.some((name) => 'schemas'.startsWith(name)) && values.data === undefined)
    throw new UsageError('schemas needs `--data DIR`, a checkout of guidance-ai/jsonschemabench')
  const isNamed = (name: string): boolean => operands.some((start) => name.startsWith(start))
  const extras = new Set(EXTRAS.filter(isNamed))
  const named = workloads.map(({ name }) => name).filter(isNamed)
  const isEvery = named.length === 0 && (extras.has('peers') || operands.length === 0)
  return {
    ...values,
    help,
    names: isEvery ? workloads.map(({ name }) => name) : named,
    extras,
    models: model,
    streamCounts: streams,
    warmUpSeconds: warmUp,
  }
}
