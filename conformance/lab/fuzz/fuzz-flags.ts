// The flags of the fuzzer, and the options that they are read into. Keys never come from a flag.
import { randomInt } from 'node:crypto'
import { type ProgramSpec, readCommandLine } from '../../../harness/cli/command-line.ts'
import { HELP_FLAG, flag, type Flags, readFlags } from '../../../harness/cli/flags.ts'
import {
  authHeader,
  notEmpty,
  oneOf,
  reportFile,
  serviceAddress,
  whole,
} from '../../../harness/cli/flag-values.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'

/** The largest seed of fast-check. */
const MOST_SEED = 2 ** 31 - 1

export const FLAGS = {
  baseUrl: flag('--base-url URL', serviceAddress)
    .with({ group: 'Target', fallback: 'the reference server' })
    .means(
      'Address, with or without `/v1`, of a service that you own; one that ends in another version, or under which the service answers, is used as it is',
    ),
  authHeader: flag('--auth-header NAME', authHeader)
    .with({ fallback: '`Authorization`, with `Bearer` before the key' })
    .means('Header to send the key in, for example `api-key`'),
  model: flag('--model ID', notEmpty)
    .with({ fallback: '`svc-0.1-echo`' })
    .means('Model to attack; required with `--base-url`'),
  quietModel: flag('--quiet-model ID', notEmpty)
    .with({ fallback: '`svc-0.1-echo`; that of `--model` with `--base-url`' })
    .means('Model for the quiet client, which must answer at once'),
  seconds: flag('--seconds N', whole(1, 86_400))
    .with({ group: 'Attack', default: 60 })
    .means('Time in which requests are started, in seconds'),
  requests: flag('--requests N', whole(1, 1_000_000))
    .with({ fallback: 'unlimited' })
    .means(
      'Number of requests of each connection, whatever time they take; stalled readers continue after `--seconds`. With `--objective judge` and `files`: of runs of the judge, of which none begins after `--seconds`',
    ),
  seed: flag('--seed N', whole(0, MOST_SEED))
    .with({ fallback: 'random; the output shows it' })
    .means(
      'Seed: the same seed sends the same requests on each connection, and makes the same hostile targets and files',
    ),
  connections: flag('--connections N', whole(1, 256))
    .with({ default: 8 })
    .means(
      'Number of concurrent attacks; with `--objective judge` and `files` of runs side by side, at most one for each core',
    ),
  objective: flag('--objective NAME', oneOf(['any', 'cost', 'connections', 'judge', 'files']))
    .with({ default: 'any' })
    .means(
      '`any`: attacks of all kinds; `cost`: a search for the requests with the largest and latest answers, which the seed begins but does not repeat; `connections`: clients that stop in the middle, drip, do not read, reset or never close; `judge`: hostile services, gateways and recordings for the judge; `files`: every kind of file that the judge reads, broken in its bytes, its structure and its values',
    ),
  burst: flag('--burst N', whole(1, 60_000))
    .with({ default: 2_000 })
    .means(
      'Number of connections that `--objective connections` opens at once from time to time; fewer if `ulimit -n` does not allow them',
    ),
  replay: flag('--replay FILE', notEmpty)
    .with({ multiple: true })
    .means(
      'Send only this attack, which a violation has saved; may be repeated, and all are sent concurrently',
    ),
  timeoutSeconds: flag('--timeout SECONDS', whole(1, 3600))
    // Many services wait 30 s for a request before they refuse it.
    .with({ group: 'Bounds', default: 45 })
    .means('Time limit for one complete answer, in seconds; doubled for a reader that stalls'),
  closeSeconds: flag('--close-timeout SECONDS', whole(1, 3600))
    .with({ default: 15 })
    .means(
      'Time limit for an answer and for the end of a connection that its client leaves open, with `--objective connections`, in seconds; more than the time limits of the server',
    ),
  quietLimitMs: flag('--quiet-limit-ms N', whole(1, 60_000))
    .with({ default: 250 })
    .means(
      'Maximum p99 latency of the quiet client, in milliseconds; at least four times its p99 before the attack',
    ),
  memoryMib: flag('--memory-mib N', whole(1, 1_000_000))
    .with({ default: 512 })
    .means('Maximum memory growth of the server, all of its processes together, in MiB'),
  memoryPeakMib: flag('--memory-peak-mib N', whole(1, 1_000_000))
    .with({ fallback: 'no bound; 1024 with `--objective judge`, 512 with `files`' })
    .means(
      'Maximum memory of the server at any time, all of its processes together, or of the judge, in MiB',
    ),
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
  name: 'npx touchstone fuzz',
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
  npx touchstone fuzz --seconds 20
  npx touchstone fuzz --objective cost --seconds 600 --memory-peak-mib 512
  npx touchstone fuzz --objective connections --connections 64
  npx touchstone fuzz --objective judge --seconds 3600
  npx touchstone fuzz --objective files --seconds 900
  npx touchstone fuzz --base-url http://127.0.0.1:8080 --model svc-0.1-echo --json fuzz.json

Exit codes:
  0  no violation
  1  violations
  2  wrong usage, or nothing was run`,
    },
  ],
}

export type FuzzOptions = ReturnType<typeof readOptions>

/** Reads the command line (without the program's name). `help` is the text to print if it is requested. Throws `UsageError`. */
export function readOptions(args: readonly string[]) {
  const { given, help } = readCommandLine(FUZZER, args)
  const { seed = randomInt(MOST_SEED), ...options } = readFlags(FLAGS, given)
  if (options.baseUrl !== undefined && options.model === undefined && help === undefined)
    throw new UsageError('--base-url: expected --model too')
  const attacksJudge = options.objective === 'judge' || options.objective === 'files'
  if (attacksJudge && (options.baseUrl ?? options.replay[0]) !== undefined)
    throw new UsageError(
      `--objective ${options.objective}: makes its own targets, leave --base-url and --replay out`,
    )
  return { ...options, seed, help }
}
