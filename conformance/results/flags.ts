// The command line of `npm run results`: its commands and their flags.
import { type ProgramSpec, readCommandLine } from '../../harness/cli/command-line.ts'
import { notEmpty, oneOf } from '../../harness/cli/flag-values.ts'
import { HELP_FLAG, type Switch, type ValueFlag, valuesOf } from '../../harness/cli/flags.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { provenances, slug, version } from './entry.ts'
import { RECORD } from './record.ts'
import { RECIPES } from './recipes/recipe.ts'

const ADDING = ['add']
const BY = [...provenances]

export const FLAGS = {
  folder: {
    usage: '--folder DIR',
    read: notEmpty,
    group: 'General',
    about: 'Folder of the record',
    fallback: '`results`',
    commands: ['add', 'check', 'reproduce'],
  },
  reproduce: {
    usage: '--reproduce FILE',
    read: notEmpty,
    group: 'The entry',
    about: 'File with the commands that repeat the result, one a line; one of them runs the judge',
    commands: ADDING,
  },
  name: {
    usage: '--name NAME',
    read: matching(slug, 'a name such as llama-server'),
    about: 'Name of the implementation, in lower case',
    commands: ADDING,
  },
  version: {
    usage: '--version VERSION',
    read: matching(version, 'a version such as 1.2.3'),
    about: 'Version of the implementation',
    commands: ADDING,
  },
  title: {
    usage: '--title TEXT',
    read: notEmpty,
    about: 'Name of the implementation as its makers write it; needed for a new one',
    commands: ADDING,
  },
  home: {
    usage: '--home URL',
    read: notEmpty,
    about: 'Address of its project; needed for a new one',
    commands: ADDING,
  },
  description: {
    usage: '--description TEXT',
    read: notEmpty,
    about: 'The implementation and its setup in one sentence; needed for a new one',
    commands: ADDING,
  },
  provenance: {
    usage: '--provenance NAME',
    read: oneOf(BY),
    choices: BY,
    about:
      '`reproduced`: judged by this project; `vendor`: by the makers of the implementation; `third-party`: by another person',
    fallback: '`third-party`',
    commands: ADDING,
  },
  model: {
    usage: '--model TEXT',
    read: notEmpty,
    about: 'The model that answered, in words',
    commands: ADDING,
  },
  replace: {
    usage: '--replace',
    about: 'Replace the entry of this version and profile',
    commands: ADDING,
  },
  report: {
    usage: '--report FILE',
    read: notEmpty,
    group: 'The report',
    about: 'Compare the entry with the full report that it was made from',
    commands: ['check'],
  },
  list: {
    usage: '--list',
    group: 'The recipe',
    about: 'Print the recipes and their versions',
    commands: ['reproduce'],
  },
  recipes: {
    usage: '--recipes DIR',
    read: notEmpty,
    about: 'Folder of the recipes',
    fallback: '`results/recipes`',
    commands: ['reproduce'],
  },
  record: {
    usage: '--record',
    about: 'Add the result to the record, in place of the entry of this version',
    commands: ['reproduce'],
  },
  help: HELP_FLAG,
} as const satisfies Readonly<Record<string, Switch | ValueFlag<unknown>>>

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
        examples('check', 'check results/1/server/my-server/1.2.3-wire.json --report report.json'),
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
  ],
  notes: `${examples('check', 'add --help')}

\`${PROGRAM} COMMAND --help\` prints the flags, examples and exit codes of a command.`,
} as const satisfies ProgramSpec

export type ResultsCommand = (typeof RESULTS)['commands'][number]['name']

/** Reads the command line (without the program's name). Throws `UsageError`. */
export function readOptions(args: readonly string[]) {
  const { command, given, help, operands } = readCommandLine(RESULTS, args)
  const { one, isOn } = valuesOf(given)
  return {
    command: RESULTS.commands.find(({ name }) => name === command)?.name ?? 'check',
    /** The text to print, if help is requested. */
    help,
    operands,
    record: one(FLAGS.folder) ?? RECORD,
    commands: one(FLAGS.reproduce),
    name: one(FLAGS.name),
    version: one(FLAGS.version),
    title: one(FLAGS.title),
    home: one(FLAGS.home),
    description: one(FLAGS.description),
    provenance: one(FLAGS.provenance) ?? 'third-party',
    model: one(FLAGS.model),
    replace: isOn(FLAGS.replace),
    report: one(FLAGS.report),
    list: isOn(FLAGS.list),
    recipes: one(FLAGS.recipes) ?? RECIPES,
    isRecorded: isOn(FLAGS.record),
  }
}

export type ResultsOptions = ReturnType<typeof readOptions>
