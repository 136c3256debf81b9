import { expect, test } from 'vitest'
import { findBannedPhrases, findCounts } from './find-banned-phrases.ts'

test.each([
  ["'is no slug'", 'is no'],
  ['// the client is\n// told', 'told'],
  ['/** a value\n * in the\n * place of another */', 'in the place of'],
  ['/** What an answer is. */', 'What'],
  ['/** Undefined where it is missing. */', 'Undefined where'],
])('%j has a banned phrase', (text, phrase) => {
  expect(findBannedPhrases(text).map((finding) => finding.text)).toContain(phrase)
})

test.each([
  'there is no key',
  'it is no longer than a line',
  'the place where it is stored',
  'What does a client do?',
  'retold stories',
])('%j has none', (text) => {
  expect(findBannedPhrases(text)).toEqual([])
})

test('a count of parts of the project is found, and no other number', () => {
  const counts = '969 checks, twelve client libraries, PASS 73 of 73 MUST judged'
  expect(findCounts(counts).map(({ text }) => text)).toEqual([
    '969 checks',
    'twelve client libraries',
    '73 of 73 MUST',
  ])
  expect(findCounts('within 30 s, status 404, at most 64 KiB, `GATE-1` to `GATE-13`')).toEqual([])
})

test('a finding names its line', () => {
  expect(findBannedPhrases('one\n\nnobody')).toMatchObject([{ line: 3, text: 'nobody' }])
})
