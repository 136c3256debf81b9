// The flags of `npm run compatibility`. Keys never come from a flag.
import { type ProgramSpec, readCommandLine } from '../../harness/cli/command-line.ts'
import { notEmpty, reportFile, rootAddress } from '../../harness/cli/flag-values.ts'
import { HELP_FLAG, type Switch, type ValueFlag, valuesOf } from '../../harness/cli/flags.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import type { Client } from './clients.ts'

export const FLAGS = {
  baseUrl: {
    usage: '--base-url URL',
    read: rootAddress,
    group: 'Target',
    about: 'Root address, with or without `/v1`, of the service to try',
    fallback: 'the reference server, whose results are recorded',
  },
  model: {
    usage: '--model ID',
    read: notEmpty,
    about: 'Model to ask',
    fallback: 'the first that `GET /v1/models` lists and that chats',
  },
  all: {
    usage: '--all',
    group: 'Clients',
    about: 'Run every client; one that is not installed is a failure',
  },
  json: {
    usage: '--json FILE',
    read: reportFile,
    group: 'Reports',
    about: 'Write the results as JSON, for programs',
  },
  help: HELP_FLAG,
} as const satisfies Readonly<Record<string, Switch | ValueFlag<unknown>>>

const COMPATIBILITY: ProgramSpec = {
  name: 'npm run compatibility --',
  flags: FLAGS,
  commands: [
    {
      name: 'compatibility',
      operands: '[names...]',
      about: 'Runs client libraries against a service: each of their uses works, or says why not.',
      notes: `Names: those of fixtures/clients/compatibility.json, or node for all that run on Node.
Without a name, those that are installed are tried with --base-url; fixtures/clients/install.sh installs them.

Keys (from the environment, for --base-url):
  CONFORMANCE_API_KEY      the key of the requests; without one, none is sent that matters
  CONFORMANCE_LIMITED_KEY  a key whose limit is exhausted: without it, 429 is not tried

Examples:
  npm run compatibility -- node
  npm run compatibility -- --base-url http://127.0.0.1:8000 openai-node openai-python
  npm run compatibility -- --base-url https://llm.example.com --all --json clients.json

Exit codes:
  0  every use works, or was not tried for a reason that is shown
  1  a use does not work
  2  wrong usage, or nothing was tried`,
    },
  ],
}

/** Reads the command line (without the program's name). Throws `UsageError`. */
export function readOptions(args: readonly string[], clients: readonly Client[]) {
  const { given, help, operands } = readCommandLine(COMPATIBILITY, args)
  const { one, isOn } = valuesOf(given)
  const names = clients.map(({ name }) => name)
  const unknown = operands.find((name) => name !== 'node' && !names.includes(name))
  if (unknown !== undefined) throw new UsageError(`expected names of ${names.join(', ')}; got ${unknown}`)
  const options = { baseUrl: one(FLAGS.baseUrl), model: one(FLAGS.model), json: one(FLAGS.json) }
  if (options.baseUrl === undefined && (options.model ?? options.json) !== undefined)
    throw new UsageError('--model and --json: expected --base-url too')
  const all = isOn(FLAGS.all)
  const isWanted = ({ name, command }: Client): boolean =>
    all ||
    operands.includes(name) ||
    (operands.includes('node') && command[0] === 'node') ||
    (operands.length === 0 && options.baseUrl !== undefined)
  return {
    /** The text to print, if help is requested. */
    help,
    ...options,
    wanted: clients.filter(isWanted),
    /** A client that is not installed is a failure. */
    mustBeInstalled: all || operands.length > 0,
  }
}
