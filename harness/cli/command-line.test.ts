import { expect, test } from 'vitest'
import { type ProgramSpec, readCommandLine } from './command-line.ts'
import { notEmpty, whole } from './flag-values.ts'
import { HELP_FLAG, readFlags } from './flags.ts'
import { UsageError } from './usage-error.ts'

const FLAGS = {
  count: { usage: '--count N', read: whole(1, 9), group: 'First', about: 'How `many`', fallback: 3 },
  item: { usage: '--item TEXT', read: notEmpty, multiple: true, group: 'Second', about: 'One item' },
  names: { usage: '--names A,B', read: notEmpty, list: true, about: 'Names', usedBy: ['work'] },
  serve: { usage: '--serve', about: 'Stay', commands: ['client'] },
  help: HELP_FLAG,
} as const

const SPEC: ProgramSpec = {
  name: 'tool',
  about: 'Works.',
  flags: FLAGS,
  commands: [
    { name: 'work', about: 'Do the work', notes: 'Exit codes: 0' },
    { name: 'client', about: 'Judge a client', operands: '[words...]', notes: 'Example: tool client' },
  ],
}

test('each flag has the value that its reader returns, wherever it stands', () => {
  const args = ['--item', 'a', 'client', 'go', '--item=b', '--count', '4', '--', '-x', '--serve']
  const { command, given, operands } = readCommandLine(SPEC, args)
  const { count, item, serve } = readFlags(FLAGS, given)
  expect([count, item, serve]).toEqual([4, ['a', 'b'], false])
  expect([command, operands]).toEqual(['client', ['go', '-x', '--serve']])
  expect(() => readFlags(FLAGS, { count: '0' })).toThrow(/^--count: expected a whole number/)
})

test('the first command is the default, and a repeated list is one list', () => {
  const { command, given } = readCommandLine(SPEC, ['--names', 'a', '--names', 'b,c'])
  expect([command, given['names']]).toEqual(['work', 'a,b,c'])
})

test.each([
  [['--counts', '1'], "unknown option '--counts' (Did you mean --count?)"],
  [['clients'], "unknown command 'clients' (Did you mean client?)"],
  [['-x'], "unknown option '-x' (see tool --help)"],
  [['--serve'], '--serve: work does not take it, only client'],
  [['--count'], '--count: a value is missing, expected --count N'],
  [['--item', '--count', '4'], '--item: a value is missing, expected --item TEXT'],
])('%j is refused in one line: %s', (args, message) => {
  expect(() => readCommandLine(SPEC, args)).toThrow(new UsageError(message))
})

test('a key that is mistaken for a flag is not repeated', () => {
  expect(() => readCommandLine(SPEC, [`--svc_sk_${'a'.repeat(43)}`])).not.toThrow(/aaaaaaaa|\n/)
})

test('the help of the program lists the commands, and that of a command its own flags', () => {
  const top = readCommandLine(SPEC, ['--help']).help
  expect(top).toMatch(
    /^Usage: tool \[COMMAND\] \[FLAGS\]\n\nWorks\.\n\nCommands:\n {2}work +Do the work\n {2}client \[/,
  )
  const own = readCommandLine(SPEC, ['client', '-h']).help
  expect(own).toMatch(/^Usage: tool client \[FLAGS\] \[WORDS…\]\n/)
  expect(own).toMatch(
    /First\n {2}--count N +How many \(default: 3\)\n\nSecond\n {2}--item TEXT +One item\n {2}--serve/,
  )
  expect(own).not.toContain('--names')
  expect(own).toContain('Example: tool client\n')
})
