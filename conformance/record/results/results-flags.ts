// The command line of `npm run results`: its commands and their flags.
import { type ProgramSpec, readCommandLine } from '../../../harness/cli/command-line.ts'
import { notEmpty, oneOf } from '../../../harness/cli/flag-values.ts'
import { HELP_FLAG, flag, type Flags, readFlags } from '../../../harness/cli/flags.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { provenances, slug, version } from './result-entry.ts'
import { RECORD } from './public-record.ts'
import { RECIPES } from './recipes/recipe.ts'

const ADDING = ['add']
const BY = [...provenances]

export const FLAGS = {
  record: flag('--folder DIR', notEmpty)
    .with({
      group: 'General',
      fallback: '`results`',
      default: RECORD,
      commands: ['add', 'check', 'reproduce', 'puppets'],
    })
    .means('Folder of the record'),
  commandsFile: flag('--reproduce FILE', notEmpty)
    .with({ group: 'The entry', commands: ADDING })
    .means('File with the commands that repeat the result, one a line; one of them runs the judge'),
  name: flag('--name NAME', matching(slug, 'a name such as llama-server'))
    .with({ commands: ADDING })
    .means('Name of the implementation, in lower case'),
  version: flag('--version VERSION', matching(version, 'a version such as 1.2.3'))
    .with({ commands: ADDING })
    .means('Version of the implementation'),
  title: flag('--title TEXT', notEmpty)
    .with({ commands: ADDING })
    .means('Name of the implementation as its makers write it; needed for a new one'),
  home: flag('--home URL', notEmpty)
    .with({ commands: ADDING })
    .means('Address of its project; needed for a new one'),
  description: flag('--description TEXT', notEmpty)
    .with({ commands: ADDING })
    .means('The implementation and its setup in one sentence; needed for a new one'),
  provenance: flag('--provenance NAME', oneOf(BY))
    .with({ choices: BY, default: 'third-party', commands: ADDING })
    .means(
      '`reproduced`: judged by this project; `vendor`: by the makers of the implementation; `third-party`: by another person',
    ),
  model: flag('--model TEXT', notEmpty).with({ commands: ADDING }).means('The model that answered, in words'),
  replace: flag('--replace')
    .with({ commands: ADDING })
    .means('Replace the entry of this version and profile'),
  report: flag('--report FILE', notEmpty)
    .with({ group: 'The report', commands: ['check'] })
    .means('Compare the entry with the full report that it was made from'),
  list: flag('--list')
    .with({ group: 'The recipe', commands: ['reproduce'] })
    .means('Print the recipes and their versions'),
  recipes: flag('--recipes DIR', notEmpty)
    .with({ fallback: '`results/recipes`', default: RECIPES, commands: ['reproduce', 'puppets'] })
    .means('Folder of the recipes'),
  families: flag('--family NAMES', notEmpty)
    .with({ fallback: 'all', commands: ['puppets'] })
    .means('Families of models, separated by commas'),
  addsEntry: flag('--record')
    .with({ commands: ['reproduce'] })
    .means('Add the result to the record, in place of the entry of this version'),
  help: HELP_FLAG,
} as const satisfies Flags

function matching(schema: typeof slug, expected: string) {
  return (value: string, name: string): string => {
    if (schema.safeParse(value).success) return value
    throw new UsageError(`${name}: expected ${expected}, got '${value}'`)
  }
}

const PROGRAM = 'npm run results --'
const examples = (...lines: readonly string[]): string =>
  ['Examples:', ...lines.map((line) => `  ${PROGRAM} ${line}`)].join('\n')

export const RESULTS = {
  name: PROGRAM,
  about: 'Keeps the public record: the results of judged servers, gateways and clients.',
  flags: FLAGS,
  commands: [
    {
      name: 'check',
      about: 'Check entries and causes; without a file, the whole record (the default command)',
      operands: '[files...]',
      notes: [
        examples('check', 'check results/2/server/my-server/1.2.3-wire.json --report report.json'),
        'Exit codes:\n  0  no problem\n  1  a problem, a line for each\n  2  wrong usage',
      ].join('\n\n'),
    },
    {
      name: 'add',
      about: 'Add an entry from a report that the judge wrote with --json',
      operands: '[report]',
      notes: [
        examples(
          "add report.json --reproduce commands.txt --name my-server --version 1.2.3 --title 'My server' --home https://github.com/me/my-server --description 'A server for tests.'",
          'add report.json --reproduce commands.txt --name my-server --version 1.2.4 --provenance vendor',
        ),
        'A failed check keeps the cause that it had in the version before, if it fails in the same way. The others are\nprinted: write the name of their cause into causes.json, which `check` demands.',
        'Exit codes:\n  0  written\n  1  not written: the entry would have a problem, which is printed\n  2  wrong usage, or a report that is not of a complete run',
      ].join('\n\n'),
    },
    {
      name: 'reproduce',
      about: 'Run a recipe, NAME or NAME@VERSION, and compare the result with its entry',
      operands: '[recipe]',
      notes: [
        examples('reproduce --list', 'reproduce mockllm@0.0.8'),
        'Exit codes:\n  0  every outcome is that of the entry, or was added to the record\n  1  an outcome differs, or there is no entry of this version\n  2  wrong usage, or the recipe cannot run on this machine\n  130, 143  interrupted by SIGINT or SIGTERM; every process is ended',
      ].join('\n\n'),
    },
    {
      name: 'puppets',
      about: 'Judge the engine of a recipe with the puppet of each family, and record it',
      operands: '[recipe]',
      notes: [
        examples('puppets llama-server', 'puppets llama-server --family qwen3,llama-3.1'),
        'Exit codes:\n  0  recorded\n  2  wrong usage, or the recipe cannot run on this machine\n  130, 143  interrupted by SIGINT or SIGTERM; every process is ended',
      ].join('\n\n'),
    },
  ],
  notes: `${examples('check', 'add --help')}

\`${PROGRAM} COMMAND --help\` prints the flags, examples and exit codes of a command.`,
} as const satisfies ProgramSpec

/** Reads the command line (without the program's name). `help` is the text to print if it is requested. Throws `UsageError`. */
export function readOptions(args: readonly string[]) {
  const { command, given, help, operands } = readCommandLine(RESULTS, args)
  return { ...readFlags(FLAGS, given), command, operands, help }
}

export type ResultsOptions = ReturnType<typeof readOptions>
