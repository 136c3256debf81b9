// `npm run site`: builds the public record as static pages, and serves them with `--serve`.
import { once } from 'node:events'
import { join } from 'node:path'
import { createAdaptorServer } from '@hono/node-server'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono } from 'hono'
import { type ProgramSpec, readCommandLine } from '../../../harness/cli/command-line.ts'
import { whole } from '../../../harness/cli/flag-values.ts'
import { type Flags, HELP_FLAG, flag, readFlags } from '../../../harness/cli/flags.ts'
import { runProgram } from '../../../harness/cli/run-program.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { CATALOGUE_VERSION } from '../../../spec/catalogue/requirements.ts'
import { readEngines } from '../results/engine-entry.ts'
import { readPairs } from '../results/pair-entry.ts'
import { RECORD, readRecord } from '../results/public-record.ts'
import { untriedServers } from '../results/recipes/recipe.ts'
import { buildDate, buildSite } from './build-site.ts'
import { historicIn, publishedIn } from './boards.ts'

const FLAGS = {
  help: HELP_FLAG,
  serve: flag('--serve').means('Serve the pages on this machine until Ctrl-C'),
  port: flag('--port N', whole(0, 65_535))
    .with({ default: 0 })
    .means('Port for `--serve`; 0 takes a free one, and the address is printed'),
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
  0  built, or served until a signal
  2  wrong usage`,
    },
  ],
}

await runProgram({
  name: 'site',
  safe: (text) => text,
  read(args) {
    const { given, operands, help } = readCommandLine(SITE, args)
    const { serve: isServed = false, port } = readFlags(FLAGS, given)
    if (given['port'] !== undefined && !isServed) throw new UsageError('--port: only with --serve')
    return {
      folder: operands[0] ?? join(import.meta.dirname, '..', '..', '..', 'site'),
      isServed,
      port,
      help,
    }
  },
  async run({ folder, isServed, port }, signal) {
    await build(folder)
    if (isServed) await serveFolder(folder, port, signal)
    return 0
  },
})

async function build(folder: string): Promise<void> {
  const record = readRecord()
  const published = publishedIn(record)
  const pairs = readPairs(RECORD, CATALOGUE_VERSION)
  const date = buildDate(published, process.env['SOURCE_DATE_EPOCH'], pairs)
  const files = await buildSite(published, folder, {
    date,
    pairs,
    engines: readEngines(RECORD, CATALOGUE_VERSION),
    untried: untriedServers(),
    historic: historicIn(record),
  })
  process.stdout.write(`${files.length} files in ${folder}\n`)
}

/** Serves the files to this machine alone, until the signal. Throws `UsageError` if the port is taken. */
async function serveFolder(folder: string, port: number, signal: AbortSignal): Promise<void> {
  const app = new Hono().use(serveStatic({ root: folder }))
  const server = createAdaptorServer({ fetch: app.fetch })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening').catch((error: Error) => {
    throw new UsageError(`--port ${port}: ${error.message}`)
  })
  const address = server.address()
  const at = address !== null && typeof address === 'object' ? address.port : port
  process.stdout.write(`http://127.0.0.1:${at}/ until Ctrl-C\n`)
  signal.addEventListener('abort', () => server.close(), { once: true })
  await once(server, 'close')
}
