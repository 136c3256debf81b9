// The table of flags is on the page of the judge and in `--help`, and neither has flags of its own.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { nameOf, withFlagTable } from '../../harness/cli/flags.ts'
import { FLAGS } from './flags.ts'
import { HELP } from './help.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'judge.md'), 'utf8')
const flagsIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/--([a-z][a-z-]+)/g)].map(([, name = '']) => name))
const flags = Object.values(FLAGS).map(nameOf)

test('the table on the page is up to date (`npm run flags`)', () => {
  expect(page).toBe(withFlagTable(page, FLAGS))
})

test('the help has every flag, and no other', () => {
  // Those of the key command are its own.
  const [own = ''] = HELP.split('Credentials,')
  expect([...flagsIn(own)].toSorted()).toEqual(flags.toSorted())
})
