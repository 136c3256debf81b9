// The page of the judge and its `--help` name every flag that there is.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { HELP } from './help.ts'
import { FLAGS } from './options.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'judge.md'), 'utf8')
const flagsIn = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/--([a-z][a-z-]+)/g)].map(([, name = '']) => name))

test.each(Object.keys(FLAGS))('--%s is told', (flag) => {
  expect(flagsIn(page)).toContain(flag)
  expect(flagsIn(HELP)).toContain(flag)
})

test('no flag of the help is made up', () => {
  // Those of the key command are its own.
  const [own = ''] = HELP.split('Credentials,')
  expect([...flagsIn(own)].filter((flag) => !Object.hasOwn(FLAGS, flag))).toEqual([])
})
