// `npm run site`: builds the public record as static pages. Only this file writes to the terminal.
import { join } from 'node:path'
import { type ProgramSpec, readCommandLine } from '../../../harness/cli/command-line.ts'
import { type Flags, HELP_FLAG } from '../../../harness/cli/flags.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { CATALOGUE_VERSION } from '../../../spec/catalogue/requirements.ts'
import { readPairs } from '../results/pair-entry.ts'
import { RECORD, readRecord } from '../results/public-record.ts'
import { untriedServers } from '../results/recipes/recipe.ts'
import { buildDate, buildSite } from './build-site.ts'
import { historicIn, publishedIn } from './boards.ts'

const FLAGS = {
  help: HELP_FLAG,
} as const satisfies Flags

const SITE: ProgramSpec = {
  name: 'npm run site --',
  flags: FLAGS,
  commands: [
    {
      name: 'site',
      about: 'Builds the public record as static pages, by default in site/.',
      operands: '[folder]',
      notes: `Environment:
  SOURCE_DATE_EPOCH  date of the build, in seconds since 1970; default: the date of the newest result

Exit codes:
  0  built
  2  wrong usage`,
    },
  ],
}

try {
  const { operands, help } = readCommandLine(SITE, process.argv.slice(2))
  const folder = operands[0] ?? join(import.meta.dirname, '..', '..', '..', 'site')
  if (help === undefined) await build(folder)
  else process.stdout.write(help)
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`site: ${error.message}\n`)
  process.exitCode = 2
}

async function build(folder: string): Promise<void> {
  const record = readRecord()
  const published = publishedIn(record)
  const pairs = readPairs(RECORD, CATALOGUE_VERSION)
  const date = buildDate(published, process.env['SOURCE_DATE_EPOCH'], pairs)
  const files = await buildSite(published, folder, {
    date,
    pairs,
    untried: untriedServers(),
    historic: historicIn(record),
  })
  process.stdout.write(`${files.length} files in ${folder}\n`)
}
