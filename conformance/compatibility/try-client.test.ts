// Results of the program of a client library: each use that it printed, and its own end.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'
import { tryClient } from './try-client.ts'

/** A program that runs these statements. */
function program(statements: string): readonly string[] {
  const file = join(temporaryFolder(), 'program.mjs')
  writeFileSync(file, statements)
  return ['node', file]
}

const LINES = `console.log('{"level":"info"}')
console.log(JSON.stringify({ use: 'plain' }))
console.log(JSON.stringify({ use: 'tools', skipped: 'no call' }))
console.log(JSON.stringify({ use: 'errors', error: process.env.REASON }))
`
const read = [
  { use: 'plain', outcome: 'works' },
  { use: 'tools', outcome: 'not tried', reason: 'no call' },
  { use: 'errors', outcome: 'fails', reason: 'no 404' },
]

it('reads each use, and no other line', async () => {
  expect(await tryClient(program(LINES), { REASON: 'no 404' })).toEqual(read)
})

it('keeps the uses of a program that breaks, and counts its end as a failure', async () => {
  const tried = await tryClient(program(`${LINES}process.exit(3)`), { REASON: 'no 404' })
  expect(tried).toEqual([...read, expect.objectContaining({ use: 'the program', outcome: 'fails' })])
})

it('finds that a library is not installed', async () => {
  expect(await tryClient(['fixtures/clients/.installed/none'], {})).toBeUndefined()
})
