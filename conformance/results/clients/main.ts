// `npm run clients` writes the comparison in docs/clients.md from the recorded results. With names of libraries, or --all,
// it first judges those, as fixtures/clients/install.sh has installed them, and records the results. A new failure then
// has no cause, and is printed so that its cause can be found.
import { readFileSync, writeFileSync } from 'node:fs'
import { judgeClient } from './judge-library.ts'
import { clientFile, readCauses, readClient, readClients, readJudged, recordOf } from './recorded-client.ts'
import { withLibraries } from './render.ts'

const page = new URL('../../../docs/clients.md', import.meta.url)
const clients = readClients()
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => name !== '--all' && !clients.some((client) => client.name === name))
if (unknown.length > 0) {
  process.stderr.write(
    `expected --all or names of ${clients.map(({ name }) => name).join(', ')}; got ${unknown.join(' ')}\n`,
  )
  process.exit(2)
}
for (const client of clients) {
  if (!wanted.includes('--all') && !wanted.includes(client.name)) continue
  process.stderr.write(`judging ${client.name}\n`)
  const report = await judgeClient(client)
  const record = recordOf(client, report, readClient(client.name))
  writeFileSync(clientFile(client.name), `${JSON.stringify(record, null, 2)}\n`)
  for (const { id, expected, actual } of report.checks)
    if (record.failed[id] === '') process.stderr.write(`${id}: expected ${expected}; received ${actual}\n`)
  for (const id of record.inconclusive) process.stderr.write(`${id}: not judged\n`)
}
// Judging takes minutes, in which the page and the causes may have been edited: they are read now.
writeFileSync(page, withLibraries(readFileSync(page, 'utf8'), readJudged(), readCauses()))
