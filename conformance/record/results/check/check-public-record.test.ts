// Every bad submission is refused for its own reason and no other: each is a good one with one change.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Entry, Implementation } from '../result-entry.ts'
import { ABOUT, JUDGED, type JudgedKind, entryOf, temporaryRecord } from '../complete-report.fixture.ts'
import { CAUSES, entryKey, folderOf, jsonText } from '../public-record.ts'
import { checkPublicRecord } from './check-public-record.ts'

const now = new Date('2026-11-24T12:00:00Z')
const [MUST, OTHER, SHOULD] = ['chat.missing-model', 'chat.missing-role', 'wire.unknown-field'] as const
const FAILED = { [MUST]: 'fail', [OTHER]: 'fail', [SHOULD]: 'warn' } as const

const WIRE = { kind: 'server', profile: 'wire' } as const
const KEY = '1.2.3-wire'
const SERVER = '2/server/good-server'

/** An entry and the causes beside it, which a change may edit, and other files by their path. */
interface Submission {
  entry: Entry
  causes: Implementation
  /** The text of the entry's file, made from the entry, and its path. */
  textOf: (json: string) => string
  path: string
  readonly files: Record<string, string>
}

function good(): Submission {
  const cause = { classification: 'defect', expected: 'status 400', received: 'status 200' } as const
  const issues = ['https://github.com/example/a/issues/1']
  const causes: Implementation = {
    ...ABOUT,
    causes: {
      'any-model': { cause: 'Does not require a model.', ...cause, issues },
      'unknown-field': { cause: 'Takes any unknown field.', ...cause, classification: 'deliberate' },
    },
    failed: { [KEY]: { [MUST]: 'any-model', [OTHER]: 'any-model', [SHOULD]: 'unknown-field' } },
    earlier: [
      {
        version: '1.0.0',
        profile: 'wire',
        date: '2026-11-01',
        catalogue: '1',
        outcomes: { pass: 'WIRE-1 WIRE-2' },
      },
    ],
    replies: [{ date: '2026-11-20', by: 'The makers', text: 'This is fixed in 1.2.4.' }],
  }
  const entry = entryOf(WIRE, FAILED)
  return { entry, causes, textOf: (json) => json, path: `${SERVER}/${KEY}.json`, files: {} }
}

/** The problems after this change. The change may also write into the folder. */
function problemsOf(change: (submission: Submission, record: string) => void) {
  using folder = temporaryRecord()
  const { record } = folder
  const submission = good()
  change(submission, record)
  const files = {
    [submission.path]: submission.textOf(jsonText(submission.entry)),
    [`${SERVER}/${CAUSES}`]: jsonText(submission.causes),
    ...submission.files,
  }
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(record, dirname(file)), { recursive: true })
    writeFileSync(join(record, file), text, 'latin1')
  }
  return checkPublicRecord(record, now).problems
}

type Path = readonly (string | number)[]

/** A copy of a JSON value, with another value at this path; undefined removes it. */
function withValue(json: unknown, [name, ...rest]: Path, value: unknown): unknown {
  if (name === undefined) return value
  const changed = withValue(Object(json)[name], rest, value)
  return Array.isArray(json) ? json.with(Number(name), changed) : { ...Object(json), [name]: changed }
}

const setting =
  (file: 'entry' | 'causes', path: Path, value: unknown) =>
  (submission: Submission): void =>
    void Object.assign(submission, { [file]: withValue(submission[file], path, value) })

const NOT_PUBLIC = 'no credentials, home folders or addresses other than loopback'

test.each<['entry' | 'causes', Path, unknown, string]>([
  ['entry', ['checks', 'chat.any-json'], 'good', 'one of pass, fail'],
  ['entry', ['checks', MUST], 'warn', '"fail" for a MUST'],
  ['entry', ['checks', SHOULD], 'fail', '"warn" for a SHOULD'],
  ['entry', ['evidence', 'chat.any-json'], '00000000', 'a check that failed'],
  ['entry', ['name'], '../../../etc', 'lower-case words'],
  ['entry', ['version'], '1/../../x', 'a version'],
  ['entry', ['score'], 99, 'only the members of'],
  ['entry', ['seed'], undefined, 'a value of type number'],
  ['entry', ['schema'], 'touchstone.report/1', '"touchstone.result/1"'],
  ['entry', ['report'], 'md5:1234', 'invalid'],
  ['entry', ['reproduce'], [], 'array must contain'],
  ['entry', ['provenance'], 'official', 'one of reproduced'],
  ['entry', ['date'], '2026-11-25', 'a day that is not in the future'],
  ['entry', ['date'], '2026-02-30', 'a day of the calendar'],
  ['causes', ['home'], 'javascript:alert(1)', 'an address that begins with https://'],
  [
    'causes',
    ['causes', 'any-model', 'issues', 0],
    'data:text/html,x',
    'an address that begins with https://',
  ],
  ['causes', ['replies', 0, 'date'], '2027-01-01', 'a day that is not in the future'],
  ['causes', ['earlier', 0, 'date'], '2027-01-01', 'a day that is not in the future'],
  ['causes', ['earlier', 0, 'outcomes', 'pass'], 'WIRE-1 WIRE-999', 'rows of the catalogue'],
  ['causes', ['failed', KEY, MUST], '', 'the name of one of the causes'],
  ['causes', ['failed', KEY, MUST], 'other', 'the name of one of the causes'],
  ['causes', ['causes', 'spare'], good().causes.causes['any-model'], 'a cause that a failed check names'],
  ['causes', ['failed', '1.0.0-wire'], { [MUST]: 'any-model' }, 'an entry 1.0.0-wire.json beside it'],
  ['causes', ['causes', 'any-model', 'classification'], 'minor', 'one of defect'],
])('%s: %j as %j is refused, for that reason alone', (file, path, value, expected) => {
  const place = path.join('.')
  const problem = { place, expected: expect.stringContaining(expected) }
  expect(problemsOf(setting(file, path, value))).toEqual([expect.objectContaining(problem)])
})

/** The paths of all texts in a JSON value. */
function textsIn(json: unknown, path: Path = []): readonly Path[] {
  if (typeof json === 'string') return [path]
  return Object.entries(Object(json)).flatMap(([name, value]) => textsIn(value, [...path, name]))
}

test('a credential in any text is refused, also in the name of a member', () => {
  const { entry, causes } = good()
  // One check stands for all; the form of these members leaves no place for a credential.
  const isTried = ([first, second]: Path): boolean => first !== 'checks' || second === MUST
  const isFixed = (path: Path): boolean => /^(report|home|causes\..*\.issues\.0)$/.test(path.join('.'))
  const tried = [
    ...textsIn(entry).map((path) => ['entry', path] as const),
    ...textsIn(causes).map((path) => ['causes', path] as const),
  ].filter(([, path]) => isTried(path) && !isFixed(path))
  expect(tried.length).toBeGreaterThan(30)
  for (const [file, path] of tried) {
    const found = problemsOf(setting(file, path, 'Bearer q8f3kd93jfk2'))
    const problem = { place: path.join('.'), received: 'a credential', expected: NOT_PUBLIC }
    expect(found).toEqual([expect.objectContaining(problem)])
  }
  const named = problemsOf(setting('causes', ['failed', KEY, 'svc_sk_a'], 'any-model'))
  const problem = { place: `failed.${KEY}`, received: 'a member with such a name', expected: NOT_PUBLIC }
  expect(named).toEqual([expect.objectContaining(problem)])
})

test.each([
  ['catalogue', '3', '3/server/good-server/1.2.3-wire.json'],
  ['kind', 'client', '2/client/good-server/1.2.3-wire.json'],
  ['name', 'other', '2/server/other/1.2.3-wire.json'],
  ['version', '1.2.4', `${SERVER}/1.2.4-wire.json`],
  ['profile', 'service', `${SERVER}/1.2.3-service.json`],
])('an entry of another %s than its path says is refused, for that reason alone', (member, value, path) => {
  const problem = { place: 'file', received: `the entry of ${path}` }
  expect(problemsOf(setting('entry', [member], value))).toEqual([expect.objectContaining(problem)])
})

const other = (added: Parameters<typeof entryOf>[2] = {}, judged: JudgedKind = WIRE): Entry =>
  entryOf(judged, {}, { name: 'other', ...added })

/** Adds another entry, with its own folder. */
function addOther({ files }: Submission, entry: Entry): void {
  files[`${folderOf(entry)}/${entryKey(entry)}.json`] = jsonText(entry)
  files[`${folderOf(entry)}/${CAUSES}`] ??= jsonText({ ...ABOUT, causes: {}, failed: {} })
}

function addVersions(submission: Submission, ...versions: readonly string[]): void {
  for (const version of versions) addOther(submission, other({ version }))
}

test.each<[string, (submission: Submission, record: string) => void, RegExp]>([
  [
    'a failure edited to a pass',
    ({ entry }) => ((entry.checks[MUST] = 'pass'), delete entry.evidence?.[MUST]),
    /failed\.1\.2\.3-wire: received a cause of `chat\.missing-model`/,
  ],
  [
    'a pass edited to a failure',
    ({ entry }) => (entry.checks['chat.any-json'] = 'fail'),
    /failed\.1\.2\.3-wire: received no cause of `chat\.any-json`/,
  ],
  [
    'a missing check',
    ({ entry }) => delete entry.checks['chat.any-json'],
    /checks: received no outcome of `chat\.any-json`; expected every published check of catalogue 2 for a server/,
  ],
  [
    'many missing checks, as of a quick run',
    ({ entry }) => (entry.checks = { ...FAILED }),
    /checks: received no outcome of .* and \d+ others/,
  ],
  [
    'an unknown check',
    ({ entry }) => (entry.checks['chat.no-such-check'] = 'pass'),
    /checks: received `chat\.no-such-check`; expected only checks/,
  ],
  [
    'a check of the other profile',
    ({ entry }) => (entry.checks['auth.missing-header'] = 'pass'),
    /checks: received `auth\.missing-header`/,
  ],
  [
    'a catalogue that does not exist',
    (s) => addOther(s, { ...other(), catalogue: '99' }),
    /catalogue: received catalogue 99, kind server, profile wire/,
  ],
  [
    'a folder too deep',
    ({ files }) => (files[`${SERVER}/more/1.2.3-wire.json`] = '{}'),
    /more: file: received a folder/,
  ],
  [
    'a file beside the kinds',
    ({ files }) => (files['2/notes.txt'] = 'x'),
    /notes\.txt: file: received a file/,
  ],
  [
    'a symbolic link',
    (_, record) => {
      mkdirSync(join(record, SERVER), { recursive: true })
      symlinkSync('/etc/hostname', join(record, SERVER, '1.2.4-wire.json'))
    },
    /1\.2\.4-wire\.json: file: received a symbolic link/,
  ],
  [
    'no causes at all',
    (s) => (addOther(s, other()), delete s.files[`2/server/other/${CAUSES}`]),
    /2\/server\/other\/causes\.json: file: received nothing; expected the causes of/,
  ],
  [
    'one report twice',
    (s) => addOther(s, { ...other(), report: s.entry.report }),
    /other\/1\.2\.3-wire\.json: report: received the report of/,
  ],
  [
    'two versions that differ in their case',
    (s) => addVersions(s, '2.0-Rc1', '2.0-rC1'),
    /2\.0-rC1-wire\.json: file: received the path of .*2\.0-Rc1-wire\.json in another case/,
  ],
])('%s is refused, for that reason alone', (_, change, line) => {
  const lines = problemsOf(change).map(
    ({ file, place, received, expected }) => `${file}: ${place}: received ${received}; expected ${expected}`,
  )
  expect(lines).toEqual([expect.stringMatching(line)])
})

test.each<[string, Submission['textOf'], RegExp]>([
  ['a file that is too large', (text) => text.padEnd(60_001), /60001 bytes/],
  ['deep nesting', () => '['.repeat(10_000_000), /10000000 bytes/],
  ['bytes that are not UTF-8', (text) => text.replace('Instruct', '\xff'), /bytes that are not UTF-8/],
  ['text that is not JSON', (text) => text.slice(0, -3), /text that cannot be parsed/],
  ['nested text that is not an entry', () => '['.repeat(50_000), /nested deeper than 512 levels/],
  ['a member twice', (text) => text.replace('"seed"', '"seed": 1,\n  "seed"'), /or a member twice/],
])('%s is refused, for that reason alone', (_, textOf, received) => {
  const problem = { place: 'file', received: expect.stringMatching(received) }
  expect(problemsOf((s) => (s.textOf = textOf))).toEqual([expect.objectContaining(problem)])
})

test.each<[string, (submission: Submission) => void]>([
  ['unchanged', () => {}],
  ...JUDGED.map((judged): [string, (submission: Submission) => void] => [
    `a ${judged.kind} by profile ${judged.profile}`,
    (s) => addOther(s, other({}, judged)),
  ]),
  ['no model', ({ entry }) => delete entry.model],
  ['a result of the vendor', ({ entry }) => (entry.provenance = 'vendor')],
  ['checks that were not judged', ({ entry }) => (entry.checks['chat.any-json'] = 'inconclusive')],
  ['several versions', (s) => addVersions(s, '2.0-rc1', '2.0', '2.10.1')],
  ['one name for two kinds', (s) => addOther(s, entryOf({ kind: 'gateway', profile: 'gateway' }))],
  ['no replies', ({ causes }) => delete causes.replies],
])('%s is accepted', (_, change) => {
  expect(problemsOf(change)).toEqual([])
})
