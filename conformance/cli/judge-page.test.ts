// The table of flags on the page of the judge, and the help of each command.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readCommandLine } from '../../harness/cli/command-line.ts'
import { nameOf, withFlagTable } from '../../harness/cli/flags.ts'
import { JUDGE } from './commands.ts'
import { FLAGS } from './flags.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'judge.md'), 'utf8')
const flags = Object.values(FLAGS).map(nameOf)
const help = (...args: readonly string[]): string => readCommandLine(JUDGE, [...args, '--help']).help ?? ''

test('the table on the page is up to date (`npm run flags`)', () => {
  expect(page).toBe(withFlagTable(page, FLAGS))
})

test('the help lists every command, and each flag is in the help of a command', () => {
  for (const { name } of JUDGE.commands) expect(help()).toMatch(new RegExp(`^  ${name} `, 'm'))
  const shown = JUDGE.commands.flatMap(({ name }) =>
    [...help(name).matchAll(/^ {2}--([a-z-]+)/gm)].map(([, flag = '']) => flag),
  )
  expect([...new Set(shown)].toSorted()).toEqual(flags.toSorted())
})

test.each(JUDGE.commands.map(({ name }) => name))('the help of %s has an example and exit codes', (name) => {
  expect(help(name)).toMatch(new RegExp(`Examples:\n  npm run conformance -- .*\n[^]*Exit codes:\n  0  `))
})
