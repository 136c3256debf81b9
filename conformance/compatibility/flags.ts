// The flags of `npm run compatibility`. Keys never come from a flag.
import { type ProgramSpec, readCommandLine } from '../../harness/cli/command-line.ts'
import { notEmpty, reportFile, rootAddress } from '../../harness/cli/flag-values.ts'
import { HELP_FLAG, flag, type Flags, readFlags } from '../../harness/cli/flags.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import type { Client } from './clients.ts'

export const FLAGS = {
  baseUrl: flag('--base-url URL', rootAddress)
    .with({ group: 'Target', fallback: 'the reference server, whose results are recorded' })
    .means('Root address, with or without `/v1`, of the service to try'),
  model: flag('--model ID', notEmpty)
    .with({ fallback: 'the first that `GET /v1/models` lists and that chats' })
    .means('Model to ask'),
  all: flag('--all')
    .with({ group: 'Clients' })
    .means('Run every client; one that is not installed is a failure'),
  json: flag('--json FILE', reportFile)
    .with({ group: 'Reports' })
    .means('Write the results as JSON, for programs'),
  help: HELP_FLAG,
} as const satisfies Flags

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

export type CompatibilityOptions = ReturnType<typeof readOptions>

/** Reads the command line (without the program's name). `help` is the text to print if it is requested. Throws `UsageError`. */
export function readOptions(args: readonly string[], clients: readonly Client[]) {
  const { given, help, operands } = readCommandLine(COMPATIBILITY, args)
  const names = clients.map(({ name }) => name)
  const unknown = operands.find((name) => name !== 'node' && !names.includes(name))
  if (unknown !== undefined) throw new UsageError(`expected names of ${names.join(', ')}; got ${unknown}`)
  const options = readFlags(FLAGS, given)
  const { all, baseUrl, model, json } = options
  if (baseUrl === undefined && (model ?? json) !== undefined)
    throw new UsageError('--model and --json: expected --base-url too')
  const isWanted = ({ name, command }: Client): boolean =>
    all ||
    operands.includes(name) ||
    (operands.includes('node') && command[0] === 'node') ||
    (operands.length === 0 && baseUrl !== undefined)
  return {
    ...options,
    help,
    wanted: clients.filter(isWanted),
    /** A client that is not installed is a failure. */
    mustBeInstalled: all || operands.length > 0,
  }
}
