// The help of the judge and of each command.
import { expect, test } from 'vitest'
import { readCommandLine } from '../../harness/cli/command-line.ts'
import { nameOf } from '../../harness/cli/flags.ts'
import { JUDGE } from './command-help.ts'
import { FLAGS } from './judge-flags.ts'

const help = (...args: readonly string[]): string => readCommandLine(JUDGE, [...args, '--help']).help ?? ''

test('the help lists every command, and each flag is in the help of a command', () => {
  for (const { name } of JUDGE.commands) expect(help()).toMatch(new RegExp(`^  ${name} `, 'm'))
  const shown = JUDGE.commands.flatMap(({ name }) =>
    [...help(name).matchAll(/^ {2}--([a-z-]+)/gm)].map(([, flag = '']) => flag),
  )
  expect([...new Set(shown)].toSorted()).toEqual(Object.values(FLAGS).map(nameOf).toSorted())
})

test.each(JUDGE.commands.map(({ name }) => name))('the help of %s has an example and exit codes', (name) => {
  expect(help(name)).toMatch(new RegExp(`Examples:\n  npx touchstone .*\n[^]*Exit codes:\n  0  `))
})
