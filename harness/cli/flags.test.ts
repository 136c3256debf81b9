import { expect, test } from 'vitest'
import { notEmpty, whole } from './flag-values.ts'
import { withFlagTable } from './flags.ts'

const FLAGS = {
  count: { usage: '--count N', read: whole(1, 9), about: 'How `many`', fallback: 3 },
  item: { usage: '--item TEXT', read: notEmpty, about: 'One item' },
}

test('a page has every flag in its table', () => {
  const page = '# Page\n<!-- flags: `npm run docs` writes this table -->\nold\n<!-- end of flags -->\nrest\n'
  const written = withFlagTable(page, FLAGS)
  expect(written).toContain('| `--count N` | How `many` | 3 |\n| `--item TEXT` | One item |  |\n')
  expect(written).not.toContain('old')
  expect(withFlagTable(written, FLAGS)).toBe(written)
  expect(() => withFlagTable('# Page\n', FLAGS)).toThrow(/has no/)
})
