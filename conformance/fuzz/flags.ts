// The flags of the fuzzer, and the options that they are read into. Keys never come from a flag.
import {
  HELP_FLAG,
  parseFlags,
  renderHelp,
  type Switch,
  type ValueFlag,
  valuesOf,
} from '../../harness/cli/flags.ts'
import { notEmpty, reportFile, rootAddress, whole } from '../../harness/cli/flag-values.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { redactKeys } from '../../spec/protocol/key.ts'

/** The largest seed of fast-check. */
const MOST_SEED = 2 ** 31 - 1

const DEFAULTS = {
  seconds: 60,
  connections: 8,
  // A service may give a request 30 s to arrive, and notice a little later that it did not.
  timeoutSeconds: 45,
  quietLimitMs: 250,
  memoryMib: 512,
} as const

export const FLAGS = {
  baseUrl: {
    usage: '--base-url URL',
    read: rootAddress,
    group: 'Target',
    about: 'the root address, with or without `/v1`: of your own service and no other',
    fallback: 'the reference server',
  },
  model: {
    usage: '--model ID',
    read: notEmpty,
    about: 'the model that is attacked; needed with `--base-url`',
    fallback: '`svc-0.1-echo`',
  },
  quietModel: {
    usage: '--quiet-model ID',
    read: notEmpty,
    about: 'the model that the quiet client asks: one that answers at once',
    fallback: '`svc-0.1-echo`; that of `--model` with `--base-url`',
  },
  seconds: {
    usage: '--seconds N',
    read: whole(1, 86_400),
    group: 'Attack',
    about: 'how long requests are begun',
    fallback: DEFAULTS.seconds,
  },
  requests: {
    usage: '--requests N',
    read: whole(1, 1_000_000),
    about:
      'requests of each connection, whatever time they take; readers that stall read on after `--seconds`',
    fallback: 'as many as there is time for',
  },
  seed: {
    usage: '--seed N',
    read: whole(0, MOST_SEED),
    about: 'the same seed sends the same requests on each connection',
    fallback: 'random, and shown',
  },
  connections: {
    usage: '--connections N',
    read: whole(1, 256),
    about: 'attacks at once',
    fallback: DEFAULTS.connections,
  },
  replay: {
    usage: '--replay FILE',
    read: notEmpty,
    multiple: true,
    about: 'send the attack of a violation again, and nothing else; may be repeated: all at once',
  },
  timeout: {
    usage: '--timeout SECONDS',
    read: whole(1, 3600),
    group: 'Bounds',
    about: 'for one answer, to its end; a reader that stalls has that long more',
    fallback: DEFAULTS.timeoutSeconds,
  },
  quietLimitMs: {
    usage: '--quiet-limit-ms N',
    read: whole(1, 60_000),
    about: 'what 99 of 100 answers to the quiet client take at most, or four times that before the attack',
    fallback: DEFAULTS.quietLimitMs,
  },
  memoryMib: {
    usage: '--memory-mib N',
    read: whole(1, 1_000_000),
    about: 'what the server may hold at the end more than at its start, all of its processes together',
    fallback: DEFAULTS.memoryMib,
  },
  json: { usage: '--json FILE', read: reportFile, group: 'Reports', about: 'the verdict, for programs' },
  help: HELP_FLAG,
} as const satisfies Readonly<Record<string, Switch | ValueFlag<unknown>>>

export interface FuzzOptions {
  readonly help: boolean
  /** Undefined: the reference server is started. */
  readonly baseUrl: string | undefined
  readonly model: string | undefined
  readonly quietModel: string | undefined
  readonly seconds: number
  /** Of each connection; undefined: as many as there is time for. */
  readonly requests: number | undefined
  readonly seed: number
  readonly connections: number
  /** Files of attacks that are sent again. */
  readonly replay: readonly string[]
  readonly timeoutSeconds: number
  readonly quietLimitMs: number
  readonly memoryMib: number
  readonly json: string | undefined
}

/** Reads the command line (without the program's name). Throws `UsageError`. */
export function readOptions(args: readonly string[]): FuzzOptions {
  const { given, positionals } = parseFlags(FLAGS, args)
  const { one, all, isOn } = valuesOf(given)
  const [stray] = positionals
  if (stray !== undefined) throw new UsageError(`unexpected '${redactKeys(stray)}'`)
  const [baseUrl, model, help] = [one(FLAGS.baseUrl), one(FLAGS.model), isOn(FLAGS.help)]
  if (baseUrl !== undefined && model === undefined && !help)
    throw new UsageError('--base-url: --model is needed too')
  return {
    help,
    baseUrl,
    model,
    quietModel: one(FLAGS.quietModel),
    seconds: one(FLAGS.seconds) ?? DEFAULTS.seconds,
    requests: one(FLAGS.requests),
    seed: one(FLAGS.seed) ?? Math.floor(Math.random() * MOST_SEED),
    connections: one(FLAGS.connections) ?? DEFAULTS.connections,
    replay: all(FLAGS.replay),
    timeoutSeconds: one(FLAGS.timeout) ?? DEFAULTS.timeoutSeconds,
    quietLimitMs: one(FLAGS.quietLimitMs) ?? DEFAULTS.quietLimitMs,
    memoryMib: one(FLAGS.memoryMib) ?? DEFAULTS.memoryMib,
    json: one(FLAGS.json),
  }
}

/** The text of `--help`. */
export function help(): string {
  return `npm run fuzz -- [FLAGS]

Attacks a service with hostile requests while a quiet client measures what others notice of it.

${renderHelp(FLAGS)}

Keys come from the environment, where there is a --base-url: CONFORMANCE_KEY_COMMAND makes them, or CONFORMANCE_API_KEY
attacks and CONFORMANCE_SECOND_KEY is the quiet client's.

Exit codes: 0 no violation, 1 violations, 2 nothing was run.
`
}
