// A file of a stranger ends in one message, whatever it is: nothing waits for it, and nothing is built from it.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCostBound, readBounded, readJsonFile, whyTooCostly } from './read-file.ts'
import { temporaryFolder } from '../temporary-folder.fixture.ts'

const MOST = 10_000

function written(content: string): string {
  const path = join(temporaryFolder(), 'a.json')
  writeFileSync(path, content)
  return path
}

test('the values of several texts count together', () => {
  const bound = createCostBound(10)
  expect(bound('[1,2,3,4]')).toBeUndefined()
  expect(bound('[1,2,3,4,5]')).toBeUndefined()
  expect(bound('[1,2]')).toBe('it has more than 10 values')
})

test('a file of the system that has no size is read as empty', () => {
  if (process.platform === 'linux') expect(readBounded('/proc/self/status', MOST)).toHaveLength(0)
})

test('a device, a pipe, a folder, an absent and a large file are refused', () => {
  const pipe = join(temporaryFolder(), 'pipe')
  execFileSync('mkfifo', [pipe])
  for (const path of ['/dev/zero', pipe, temporaryFolder()])
    expect(() => readBounded(path, MOST)).toThrow('expected a regular file')
  expect(() => readBounded('/absent', MOST)).toThrow('the file does not exist')
  expect(readBounded(written('x'.repeat(MOST)), MOST)).toHaveLength(MOST)
  expect(() => readBounded(written('x'.repeat(MOST + 1)), MOST)).toThrow(
    '10001 bytes; expected at most 10000',
  )
})

test.each(['[', '{"a":'])('JSON of 512 levels of %s is read, and one level more is refused', (open) => {
  const close = open === '[' ? ']' : '}'
  const nested = (levels: number): string => open.repeat(levels) + '0' + close.repeat(levels)
  expect(whyTooCostly(nested(512))).toBeUndefined()
  expect(() => readJsonFile(written(nested(513)), MOST)).toThrow('it is nested deeper than 512 levels')
})

test('brackets and commas in texts count nothing', () => {
  const text = JSON.stringify(['\\"['.repeat(600), '{'.repeat(600), ','.repeat(4_000_001)])
  expect(whyTooCostly(text)).toBeUndefined()
  expect(whyTooCostly(`[${'0,'.repeat(4_000_000)}0]`)).toBe('it has more than 4000000 values')
})
