// One table is the parser, the help and the table of the docs: none of them knows a flag that another does not.
import { expect, test } from 'vitest'
import { checkCommand, helpLine, parseFlags, renderHelp, valuesOf, withFlagTable } from './flags.ts'
import { notEmpty, whole } from './flag-values.ts'
import { UsageError } from './usage-error.ts'

const FLAGS = {
  count: { usage: '--count N', read: whole(1, 9), group: 'First', about: 'how `many`', fallback: 3 },
  item: {
    usage: '--item TEXT',
    read: notEmpty,
    multiple: true,
    group: 'Second',
    about: 'one of them',
  },
  serve: { usage: '--serve', about: 'stay', commands: ['client'] },
} as const

test('values are read by the table, and a value that does not fit names its flag', () => {
  const { given, positionals } = parseFlags(FLAGS, [
    '--item',
    'a',
    'go',
    '--item=b',
    '--count',
    '4',
    '--',
    '-x',
  ])
  const { one, all, isOn } = valuesOf(given)
  expect([one(FLAGS.count), all(FLAGS.item), isOn(FLAGS.serve)]).toEqual([4, ['a', 'b'], false])
  expect(positionals).toEqual(['go', '-x'])
  expect(() => valuesOf({ count: '0' }).one(FLAGS.count)).toThrow(/^--count: expected a whole number/)
})

test('an unknown flag is one line without a key; a flag of another command is refused', () => {
  expect(() => parseFlags(FLAGS, ['--counts', '1'])).toThrow(UsageError)
  expect(() => parseFlags(FLAGS, [`--svc_sk_${'a'.repeat(43)}`])).not.toThrow(/aaaaaaaa|\n/)
  const { given } = parseFlags(FLAGS, ['--serve'])
  expect(() => checkCommand(FLAGS, given, 'run')).toThrow('--serve: run does not take it, only client')
  expect(() => checkCommand(FLAGS, given, 'client')).not.toThrow()
})

test('the help has every flag under its group, the page every flag in its table', () => {
  expect(renderHelp(FLAGS)).toBe(
    [
      'First',
      '  --count N              how many (3)',
      '',
      'Second',
      '  --item TEXT            one of them',
      '  --serve                stay',
    ].join('\n'),
  )
  expect(helpLine('a-long-name-of-something', 'what').split('  ')).toHaveLength(3)
  const page = '# Page\n<!-- flags: `npm run flags` writes this table -->\nold\n<!-- end of flags -->\nrest\n'
  const written = withFlagTable(page, FLAGS)
  expect(written).toContain('| `--count N` | how `many` | 3 |\n| `--item TEXT` | one of them |  |\n')
  expect(written).not.toContain('old')
  expect(withFlagTable(written, FLAGS)).toBe(written)
  expect(() => withFlagTable('# Page\n', FLAGS)).toThrow(/has no/)
})
