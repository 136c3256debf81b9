// The client libraries of the compatibility table: their programs, and the recorded results with the reference server.
import { readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { withSection } from '../../harness/page-section.ts'

/** The uses of a library, in the order of the table, with their titles. */
export const USES: Readonly<Record<string, string>> = {
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
const SECTION = {
  begin: '<!-- compatibility: written by npm run compatibility -->',
  end: '<!-- /compatibility -->',
}

const client = z.object({
  name: z.string(),
  title: z.string(),
  version: z.string(),
  command: z.array(z.string()),
  /** The result of each use: `works`, or the error. */
  tried: z.record(z.string()),
})
export type Client = z.infer<typeof client>

export function readClients(): Client[] {
  return z.array(client).parse(JSON.parse(readFileSync(records, 'utf8')))
}

/** Records the results, and writes the table of docs/server.md. */
export function writeClients(clients: readonly Client[]): void {
  writeFileSync(records, `${JSON.stringify(clients, null, 2)}\n`)
  writeFileSync(page, withSection(readFileSync(page, 'utf8'), SECTION, table(clients)))
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
