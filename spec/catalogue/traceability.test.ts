// The data is the specification itself, whole and in order: no sentence can be forgotten, and no row stands for none.
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { requirements } from './requirements.ts'
import { EXCLUSIONS, specification } from './traceability.ts'

const traces = specification.flatMap((section) => section.traces)

/** SHA-256 of the specification's words: letters and digits, without marks of lists and headings of tables. */
const WORDS_OF_THE_SPECIFICATION = '669703f677f8a61367d3a3c095560f7ebfbb9213550c5ca2af19659a65336ce3'

test('headings and texts are the words of the specification, all of them, in its order', () => {
  const words = specification
    .map(({ heading, traces }) => `${heading} ${traces.map(({ text }) => text).join(' ')}`)
    .join(' ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
  expect(createHash('sha256').update(words).digest('hex')).toBe(WORDS_OF_THE_SPECIFICATION)
})

test('each trace is one sentence, or one row of a table', () => {
  for (const { text } of traces) expect(text.includes(' | ') ? '' : text).not.toMatch(/[a-z`]\. [A-Z]/)
})

test('every requirement stands for some sentence, except those on gateways, which the specification does not name', () => {
  const reached = new Set(traces.flatMap((trace) => ('requirements' in trace ? trace.requirements : [])))
  expect(requirements.filter(({ id, source }) => source !== 'gateways' && !reached.has(id))).toEqual([])
})

test('each sentence is judged by rows, each named once, or left out for one of the reasons there are', () => {
  expect(Object.keys(EXCLUSIONS)).toEqual(['not shown', 'binds callers', 'definition'])
  for (const trace of traces) {
    if ('requirements' in trace) {
      expect(trace.requirements.length).toBeGreaterThan(0)
      expect(new Set(trace.requirements).size).toBe(trace.requirements.length)
    } else expect(Object.keys(EXCLUSIONS)).toContain(trace.excluded)
  }
})

test('what is left out as not shown says so, and what says only that is left out', () => {
  const open = traces.filter(
    ({ text }) => /: not shown( beyond its ID)?\.$/.test(text) && !text.includes(' | '),
  )
  expect(traces.filter((trace) => 'excluded' in trace && trace.excluded === 'not shown')).toEqual(open)
})

test('a sentence with a status is never left out', () => {
  const left = traces.filter((trace) => 'excluded' in trace).map(({ text }) => text)
  expect(left.filter((text) => /\b[2-5]\d\d\b/.test(text))).toEqual([])
})
