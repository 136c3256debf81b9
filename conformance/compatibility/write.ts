// `npm run compatibility` writes the table of client libraries in docs/server.md from the recorded results. With names of
// libraries, `node` for all that run on Node, or --all, it first runs those and records the results; it fails if a use
// does not work.
import { readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { withSection } from '../report/page-section.ts'
import { type Tried, tryClient } from './try-client.ts'

/** The uses of a library, in the order of the table, with their titles. */
const USES: Readonly<Record<string, string>> = {
  plain: 'plain',
  streamed: 'streamed',
  tools: 'tools, two turns',
  structured: 'structured output',
  errors: '401, 404, 429',
  concurrent: '20 at once',
  replayed: 'own messages sent back',
}

const records = new URL('../../fixtures/clients/compatibility.json', import.meta.url)
const page = new URL('../../docs/server.md', import.meta.url)

const client = z.object({
  name: z.string(),
  title: z.string(),
  version: z.string(),
  command: z.array(z.string()),
  /** The result of each use: `works`, or the error. */
  tried: z.record(z.string()),
})
type Client = z.infer<typeof client>

const SECTION = {
  begin: '<!-- compatibility: written by npm run compatibility -->',
  end: '<!-- /compatibility -->',
}

function table(clients: readonly Client[]): readonly string[] {
  const rows = clients.map(({ title, version, tried }) => {
    const cells = Object.keys(USES).map((use) =>
      tried[use] === undefined ? '' : tried[use] === 'works' ? 'works' : 'fails',
    )
    return [title, version, ...cells]
  })
  const head = ['client', 'version', ...Object.values(USES)]
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
}

async function tried({ name, command, tried: before }: Client): Promise<Record<string, string>> {
  process.stdout.write(`${name}\n`)
  let found: Tried
  try {
    found = await tryClient(command)
  } catch (error) {
    // The program exists only if its library is installed.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    fail(`${name}: not installed: fixtures/clients/install.sh ${name}`)
    return before
  }
  for (const [use, error] of found) if (error !== undefined) fail(`${name}, ${use}: ${error}`)
  for (const use of Object.keys(before)) if (!found.has(use)) fail(`${name}, ${use}: not tried this time`)
  if (found.size === 0) fail(`${name}: it tried nothing`)
  return Object.fromEntries([...found].map(([use, error]) => [use, error ?? 'works']))
}

function fail(line: string): void {
  process.stdout.write(`${line}\n`)
  process.exitCode = 1
}

const wanted = process.argv.slice(2)
const clients = z.array(client).parse(JSON.parse(readFileSync(records, 'utf8')))
const unknown = wanted.filter(
  (name) => !['--all', 'node'].includes(name) && !clients.some((one) => one.name === name),
)
if (unknown.length > 0) {
  process.stderr.write(`expected --all, node or names of ${clients.map(({ name }) => name).join(', ')}\n`)
  process.exit(2)
}
for (const one of clients) {
  const isWanted =
    wanted.includes('--all') ||
    wanted.includes(one.name) ||
    (wanted.includes('node') && one.command[0] === 'node')
  if (isWanted) one.tried = await tried(one)
}
writeFileSync(records, `${JSON.stringify(clients, null, 2)}\n`)
writeFileSync(page, withSection(readFileSync(page, 'utf8'), SECTION, table(clients)))
