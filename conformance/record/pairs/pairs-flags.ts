// The command line of `npm run pairs`.
import { type ProgramSpec, readCommandLine } from '../../../harness/cli/command-line.ts'
import { names, notEmpty, serviceAddress, whole } from '../../../harness/cli/flag-values.ts'
import { HELP_FLAG, flag, type Flags, readFlags } from '../../../harness/cli/flags.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { USE_IDS, type UseId } from '../results/pair-entry.ts'
import { RECORD } from '../results/public-record.ts'
import { RECIPES } from '../results/recipes/recipe.ts'

export const FLAGS = {
  clients: flag('--client NAMES', names)
    .with({ group: 'The pairs', list: true })
    .means('Client libraries, by the names of their recipes, separated by commas; may be repeated'),
  all: flag('--all').means('All client libraries that have a recipe'),
  servers: flag('--server NAMES', names)
    .with({ list: true })
    .means(
      'Servers, by the names of their recipes, separated by commas; may be repeated. `touchstone` is the reference server',
    ),
  baseUrl: flag('--base-url URL', serviceAddress).means(
    'Address of a server that is running, with or without `/v1`; its key is `CONFORMANCE_API_KEY`',
  ),
  model: flag('--model ID', notEmpty)
    .with({ fallback: 'the first that the server lists' })
    .means('Model to request'),
  only: flag('--only USES', readUses)
    .with({ list: true, fallback: 'all', choices: USE_IDS })
    .means('Uses to try, separated by commas'),
  concurrency: flag('--concurrency N', whole(1, 64))
    .with({ group: 'The run', default: 2 })
    .means('Number of programs that run side by side'),
  timeoutSeconds: flag('--timeout SECONDS', whole(1, 3600))
    .with({ default: 60 })
    .means('Time limit for a program, in seconds'),
  evidence: flag('--evidence DIR', notEmpty)
    .with({ group: 'The result', fallback: 'a folder that is removed' })
    .means('Folder for the recorded exchanges, `CLIENT@SERVER.jsonl`, without credentials'),
  adds: flag('--record').means('Write each pair into the record, in place of the one before'),
  record: flag('--folder DIR', notEmpty)
    .with({ fallback: '`results`', default: RECORD })
    .means('Folder of the record'),
  recipes: flag('--recipes DIR', notEmpty)
    .with({ fallback: '`results/recipes`', default: RECIPES })
    .means('Folder of the recipes'),
  help: HELP_FLAG,
} as const satisfies Flags

function readUses(value: string, name: string): readonly UseId[] {
  return names(value, name).map((given) => {
    const use = USE_IDS.find((id) => id === given)
    if (use !== undefined) return use
    throw new UsageError(`${name}: expected uses among ${USE_IDS.join(', ')}; got '${given}'`)
  })
}

const PAIRS: ProgramSpec = {
  name: 'npm run pairs --',
  flags: FLAGS,
  commands: [
    {
      name: 'pairs',
      about: 'Tries what people do with client libraries at servers, and says which side is at fault.',
      notes: `Examples:
  npm run pairs -- --client openai-node,openai-python --server touchstone
  npm run pairs -- --all --server touchstone --record
  npm run pairs -- --client openai-node --base-url http://127.0.0.1:8000 --only call,stream

Exit codes:
  0  no use fails
  1  a use fails
  2  wrong usage, or a pair that cannot be run on this machine`,
    },
  ],
}

export type PairsOptions = ReturnType<typeof readOptions>

/** Reads the command line (without the program's name). `help` is the text to print if it is requested. Throws `UsageError`. */
export function readOptions(args: readonly string[]) {
  const { given, help } = readCommandLine(PAIRS, args)
  const { clients = [], servers = [], only = USE_IDS, ...options } = readFlags(FLAGS, given)
  if (help === undefined) {
    if ((clients.length === 0) === (options.all !== true))
      throw new UsageError('expected --client NAMES or --all')
    if ((servers.length === 0) === (options.baseUrl === undefined))
      throw new UsageError('expected --server NAMES or --base-url URL')
    if (options.adds === true && (options.baseUrl !== undefined || only.length < USE_IDS.length))
      throw new UsageError('--record: expected --server, whose version is known, and every use')
  }
  return { ...options, clients, servers, only, help }
}
