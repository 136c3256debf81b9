// An engine of the record is refused for each of these changes, and its page has the cause and the bytes of each failure.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { CATALOGUE_VERSION } from '../../../../spec/catalogue/requirements.ts'
import { renderEngines } from '../../site/pages/engines.ts'
import { temporaryRecord } from '../complete-report.fixture.ts'
import { type EngineEntry, type Found, enginePath, readEngines } from '../engine-entry.ts'
import { RECORD, jsonText } from '../public-record.ts'
import { checkPublicRecord } from './check-public-record.ts'

const [published] = readEngines(RECORD, CATALOGUE_VERSION)
if (published === undefined) throw new Error('the record has no engine')
const now = new Date(published.date)

const failed: Found = { outcome: 'fail', expected: 'a <call>', actual: 'a <script>', cause: 'lost-call' }

/** An engine with one failure. */
const good: EngineEntry = {
  ...published,
  families: { qwen3: { seconds: 1, checks: { 'parse.call': failed, 'parse.text': { outcome: 'pass' } } } },
  causes: { 'lost-call': { text: 'Loses a call.', confirmed: 'By `/completion`.' } },
}

function problemsOf(entry: object, path = enginePath(good)): readonly string[] {
  using folder = temporaryRecord()
  const file = join(folder.record, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, jsonText(entry))
  return checkPublicRecord(folder.record, now).problems.map((problem) => JSON.stringify(problem))
}

test('an engine whose failures have a confirmed cause is accepted', () => {
  expect(problemsOf(good)).toEqual([])
})

test.each<[string, object, string]>([
  [
    'a cause that no check names',
    { ...good, causes: { ...good.causes, other: good.causes['lost-call'] } },
    'causes.other',
  ],
  ['a cause that is not written', { ...good, causes: {} }, 'causes.lost-call'],
  ['a date in the future', { ...good, date: '2999-01-01' }, 'a day that is not in the future'],
  ['an unknown member', { ...good, score: 99 }, 'only the members of'],
])('%s is refused', (_, entry, said) => {
  expect(problemsOf(entry)).toEqual([expect.stringContaining(said)])
})

test('another path than that of the engine is refused', () => {
  const path = enginePath(good).replace(good.engine.name, 'another')
  expect(problemsOf(good, path)).toEqual([expect.stringContaining('the engine that the path says')])
})

test('the page has the cause and the bytes of each failure, as text', () => {
  const page = String(renderEngines([good]))
  for (const shown of ['Loses a call.', 'parse.call', 'a &lt;call&gt;', 'a &lt;script&gt;'])
    expect(page).toContain(shown)
  expect(page).not.toContain('<script>')
  expect(page).not.toContain('parse.text')
})
