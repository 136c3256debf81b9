// The flags of the fuzzer, and the options that they are read into. Keys never come from a flag.
import { type ProgramSpec, readCommandLine } from '../../harness/cli/command-line.ts'
import { HELP_FLAG, valuesOf, flag, type Flags } from '../../harness/cli/flags.ts'
import { notEmpty, oneOf, reportFile, rootAddress, whole } from '../../harness/cli/flag-values.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'

/** The largest seed of fast-check. */
const MOST_SEED = 2 ** 31 - 1

/** The kinds of runs. */
const OBJECTIVES = ['any', 'cost'] as const

const DEFAULTS = {
  seconds: 60,
  connections: 8,
  // A service may give a request 30 s to arrive, and notice a little later that it did not.
  timeoutSeconds: 45,
  quietLimitMs: 250,
  memoryMib: 512,
} as const

export const FLAGS = {
  baseUrl: flag('--base-url URL', rootAddress)
    .with({ group: 'Target', fallback: 'the reference server' })
    .means('Root address, with or without `/v1`, of a service that you own'),
  model: flag('--model ID', notEmpty)
    .with({ fallback: '`svc-0.1-echo`' })
    .means('Model to attack; required with `--base-url`'),
  quietModel: flag('--quiet-model ID', notEmpty)
    .with({ fallback: '`svc-0.1-echo`; that of `--model` with `--base-url`' })
    .means('Model for the quiet client, which must answer at once'),
  seconds: flag('--seconds N', whole(1, 86_400))
    .with({ group: 'Attack', fallback: DEFAULTS.seconds })
    .means('Time in which requests are started, in seconds'),
  requests: flag('--requests N', whole(1, 1_000_000))
    .with({ fallback: 'unlimited' })
    .means(
      'Number of requests of each connection, whatever time they take; stalled readers continue after `--seconds`',
    ),
  seed: flag('--seed N', whole(0, MOST_SEED))
    .with({ fallback: 'random; the output shows it' })
    .means('Seed: the same seed sends the same requests on each connection'),
  connections: flag('--connections N', whole(1, 256))
    .with({ fallback: DEFAULTS.connections })
    .means('Number of concurrent attacks'),
  objective: flag('--objective NAME', oneOf(OBJECTIVES))
    .with({ fallback: 'any' })
    .means(
      '`any`: attacks of all kinds; `cost`: a search for the requests with the largest and latest answers, which the seed begins but does not repeat',
    ),
  replay: flag('--replay FILE', notEmpty)
    .with({ multiple: true })
    .means(
      'Send only this attack, which a violation has saved; may be repeated, and all are sent concurrently',
    ),
  timeout: flag('--timeout SECONDS', whole(1, 3600))
    .with({ group: 'Bounds', fallback: DEFAULTS.timeoutSeconds })
    .means('Time limit for one complete answer, in seconds; doubled for a reader that stalls'),
  quietLimitMs: flag('--quiet-limit-ms N', whole(1, 60_000))
    .with({ fallback: DEFAULTS.quietLimitMs })
    .means(
      'Maximum p99 latency of the quiet client, in milliseconds; at least four times its p99 before the attack',
    ),
  memoryMib: flag('--memory-mib N', whole(1, 1_000_000))
    .with({ fallback: DEFAULTS.memoryMib })
    .means('Maximum memory growth of the server, all of its processes together, in MiB'),
  memoryPeakMib: flag('--memory-peak-mib N', whole(1, 1_000_000))
    .with({ fallback: 'no bound' })
    .means('Maximum memory of the server at any time, all of its processes together, in MiB'),
  quietMostMs: flag('--quiet-most-ms N', whole(1, 60_000))
    .with({ fallback: 'no bound' })
    .means('Maximum latency of the quiet client, in milliseconds'),
  answerBytes: flag('--answer-bytes N', whole(1, 1_000_000_000_000))
    .with({ fallback: 'no bound' })
    .means('Maximum size of an answer with its head, in bytes'),
  json: flag('--json FILE', reportFile)
    .with({ group: 'Reports' })
    .means('Write the verdict as JSON, for programs'),
  help: HELP_FLAG,
} as const satisfies Flags

const FUZZER: ProgramSpec = {
  name: 'npm run fuzz --',
  flags: FLAGS,
  commands: [
    {
      name: 'fuzz',
      about:
        'Attacks a service with hostile requests while a quiet client measures the effect on other users.',
      notes: `Keys (from the environment, for --base-url):
  CONFORMANCE_KEY_COMMAND  a command that makes both keys, or
  CONFORMANCE_API_KEY      the key of the attacks, and
  CONFORMANCE_SECOND_KEY   the key of the quiet client

Examples:
  npm run fuzz -- --seconds 20
  npm run fuzz -- --objective cost --seconds 600 --memory-peak-mib 512
  npm run fuzz -- --base-url http://127.0.0.1:8080 --model svc-0.1-echo --json fuzz.json

Exit codes:
  0  no violation
  1  violations
  2  wrong usage, or nothing was run`,
    },
  ],
}

export type FuzzOptions = ReturnType<typeof readOptions>

/** Reads the command line (without the program's name). Throws `UsageError`. */
export function readOptions(args: readonly string[]) {
  const { given, help } = readCommandLine(FUZZER, args)
  const { one, all } = valuesOf(given)
  const [baseUrl, model] = [one(FLAGS.baseUrl), one(FLAGS.model)]
  if (baseUrl !== undefined && model === undefined && help === undefined)
    throw new UsageError('--base-url: expected --model too')
  return {
    /** The text to print, if help is requested. */
    help,
    /** Undefined: the reference server is started. */
    baseUrl,
    model,
    quietModel: one(FLAGS.quietModel),
    seconds: one(FLAGS.seconds) ?? DEFAULTS.seconds,
    /** Requests of each connection; undefined: unlimited. */
    requests: one(FLAGS.requests),
    seed: one(FLAGS.seed) ?? Math.floor(Math.random() * MOST_SEED),
    connections: one(FLAGS.connections) ?? DEFAULTS.connections,
    objective: one(FLAGS.objective) ?? 'any',
    /** Files of attacks to send again. */
    replay: all(FLAGS.replay),
    timeoutSeconds: one(FLAGS.timeout) ?? DEFAULTS.timeoutSeconds,
    quietLimitMs: one(FLAGS.quietLimitMs) ?? DEFAULTS.quietLimitMs,
    memoryMib: one(FLAGS.memoryMib) ?? DEFAULTS.memoryMib,
    memoryPeakMib: one(FLAGS.memoryPeakMib),
    quietMostMs: one(FLAGS.quietMostMs),
    answerBytes: one(FLAGS.answerBytes),
    json: one(FLAGS.json),
  }
}
