// `npm run compatibility` writes the table of client libraries in docs/server.md from what was recorded of them. With
// names behind it, `node` for all that run on Node, or --all, it first runs those and records what worked; it fails where
// a use does not work.
import { readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { type Tried, tryClient } from './try-client.ts'

/** What a library is used for, in the order of the table, and how the table calls it. */
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
  /** By use: `works`, or what went wrong. */
  tried: z.record(z.string()),
})
type Client = z.infer<typeof client>

const START = '<!-- compatibility: written by npm run compatibility -->'
const END = '<!-- /compatibility -->'

function table(clients: readonly Client[]): string {
  const rows = clients.map(({ title, version, tried }) => {
    const cells = Object.keys(USES).map((use) =>
      tried[use] === undefined ? '' : tried[use] === 'works' ? 'works' : 'fails',
    )
    return [title, version, ...cells]
  })
  const head = ['client', 'version', ...Object.values(USES)]
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return `${START}\n${lines.join('\n')}\n${END}`
}

async function tried({ name, command, tried: before }: Client): Promise<Record<string, string>> {
  process.stdout.write(`${name}\n`)
  let found: Tried
  try {
    found = await tryClient(command)
  } catch (error) {
    // The program is there once its library is installed.
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    fail(`${name}: not installed: fixtures/clients/install.sh ${name}`)
    return before
  }
  for (const [use, error] of found) if (error !== undefined) fail(`${name}, ${use}: ${error}`)
  for (const use of Object.keys(before))
    if (!found.has(use)) fail(`${name}, ${use}: it was not tried this time`)
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
const text = readFileSync(page, 'utf8')
const [before, rest] = text.split(START)
const after = rest?.split(END)[1]
if (before === undefined || after === undefined) throw new Error(`expected ${START} and ${END}`)
writeFileSync(page, `${before}${table(clients)}${after}`)
