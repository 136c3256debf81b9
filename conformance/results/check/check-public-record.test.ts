// Every bad submission is refused for its own reason and no other: each is a good one with one change.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Entry, Implementation } from '../entry.ts'
import { ABOUT, JUDGED, entryOf, temporaryRecord } from '../complete-report.fixture.ts'
import { CAUSES, entryKey, folderOf, jsonText } from '../record.ts'
import { checkPublicRecord } from './check-public-record.ts'

const now = new Date('2026-11-24T12:00:00Z')
const [MUST, OTHER, SHOULD] = ['chat.missing-model', 'chat.missing-role', 'wire.unknown-field'] as const
const FAILED = { [MUST]: 'fail', [OTHER]: 'fail', [SHOULD]: 'warn' } as const

/** An entry and the causes beside it, which a change may edit, and the text of its file if it differs from the entry. */
interface Submission {
  entry: Entry
  causes: Implementation
  /** Other files by their path. */
  readonly files: Record<string, string>
  /** The path of the entry, if it is not the one of its content. */
  path: string | undefined
  text: string | undefined
}

function good(): Submission {
  const entry = entryOf({ kind: 'server', profile: 'wire' }, FAILED)
  const cause = { classification: 'defect', expected: 'status 400', received: 'status 200' } as const
  const causes: Implementation = {
    ...ABOUT,
    causes: {
      'any-model': {
        cause: 'Does not require a model.',
        ...cause,
        issues: ['https://github.com/example/a/issues/1'],
      },
      'unknown-field': { cause: 'Takes any unknown field.', ...cause, classification: 'deliberate' },
    },
    failed: { '1.2.3-wire': { [MUST]: 'any-model', [OTHER]: 'any-model', [SHOULD]: 'unknown-field' } },
    replies: [{ date: '2026-11-20', by: 'The makers', text: 'This is fixed in 1.2.4.' }],
  }
  return { entry, causes, files: {}, path: undefined, text: undefined }
}

/** The value of a member that the good submission has. */
function the<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('the good submission has no such member')
  return value
}

const pathOf = (entry: Entry): string => `${folderOf(entry)}/${entryKey(entry)}.json`

/** The problems of a submission as lines. */
function problemsOf(change: (submission: Submission, record: string) => void): readonly string[] {
  using folder = temporaryRecord()
  const { record } = folder
  const submission = good()
  const path = pathOf(submission.entry)
  change(submission, record)
  const files = {
    [submission.path ?? path]: submission.text ?? jsonText(submission.entry),
    [`${dirname(path)}/${CAUSES}`]: jsonText(submission.causes),
    ...submission.files,
  }
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(record, dirname(file)), { recursive: true })
    writeFileSync(join(record, file), text, 'latin1')
  }
  return checkPublicRecord(record, now).problems.map(
    ({ file, place, received, expected }) => `${file}: ${place}: received ${received}; expected ${expected}`,
  )
}

/** Adds another entry with its own folder. */
function addOther({ files }: Submission, entry: Entry, causes: Partial<Implementation> = {}): void {
  files[pathOf(entry)] = jsonText(entry)
  files[`${folderOf(entry)}/${CAUSES}`] ??= jsonText({ ...ABOUT, causes: {}, failed: {}, ...causes })
}

const ofEntry =
  (change: (entry: Entry & Record<string, unknown>) => void) =>
  ({ entry }: Submission): void =>
    change(entry as Entry & Record<string, unknown>)
const ofCauses =
  (change: (causes: Implementation) => void) =>
  ({ causes }: Submission): void =>
    change(causes)

test.each<[string, (submission: Submission, record: string) => void, RegExp]>([
  [
    'a key as the name of a member',
    ofCauses((c) => (the(c.failed['1.2.3-wire'])['svc_sk_a'] = 'any-model')),
    /failed\.1\.2\.3-wire: received a member with such a name/,
  ],
  [
    'a failure edited to a pass',
    ofEntry((e) => ((e.checks[MUST] = 'pass'), delete the(e.evidence)[MUST])),
    /failed\.1\.2\.3-wire: received a cause of `chat\.missing-model`/,
  ],
  [
    'a pass edited to a failure',
    ofEntry((e) => (e.checks['chat.any-json'] = 'fail')),
    /failed\.1\.2\.3-wire: received no cause of `chat\.any-json`/,
  ],
  [
    'an outcome that does not exist',
    ofEntry((e) => Object.assign(e.checks, { 'chat.any-json': 'good' })),
    /checks\.chat\.any-json: received "good"; expected one of pass, fail/,
  ],
  [
    'a MUST that warns',
    ofEntry((e) => (e.checks[MUST] = 'warn')),
    /checks\.chat\.missing-model: received "warn"; expected "fail" for a MUST/,
  ],
  [
    'a SHOULD that fails',
    ofEntry((e) => (e.checks[SHOULD] = 'fail')),
    /checks\.wire\.unknown-field: received "fail"; expected "warn" for a SHOULD/,
  ],
  [
    'evidence of a check that passes',
    ofEntry((e) => (the(e.evidence)['chat.any-json'] = '00000000')),
    /evidence\.chat\.any-json: received evidence/,
  ],
  [
    'a missing check',
    ofEntry((e) => delete e.checks['chat.any-json']),
    /checks: received no outcome of `chat\.any-json`; expected every check of catalogue 1 for a server/,
  ],
  [
    'many missing checks, as of a quick run',
    ofEntry((e) => (e.checks = { ...FAILED })),
    /checks: received no outcome of .* and 709 others/,
  ],
  [
    'an unknown check',
    ofEntry((e) => (e.checks['chat.no-such-check'] = 'pass')),
    /checks: received `chat\.no-such-check`; expected only checks/,
  ],
  [
    'a check of the other profile',
    ofEntry((e) => (e.checks['auth.missing-header'] = 'pass')),
    /checks: received `auth\.missing-header`/,
  ],
  ['another catalogue', ofEntry((e) => (e.catalogue = '2')), /file: received the entry of 2\/server/],
  [
    'a catalogue that does not exist',
    (s) => {
      s.entry.catalogue = '2'
      s.path = pathOf(s.entry)
      s.files[`2/server/good-server/${CAUSES}`] = jsonText(s.causes)
      s.causes = { ...s.causes, failed: {}, causes: {} }
    },
    /catalogue: received catalogue 2, kind server, profile wire/,
  ],
  ['another kind', ofEntry((e) => (e.kind = 'client')), /file: received the entry of 1\/client\/good-server/],
  [
    'another version',
    ofEntry((e) => (e.version = '1.2.4')),
    /file: received the entry of .*1\.2\.4-wire\.json/,
  ],
  [
    'another profile',
    ofEntry((e) => (e.profile = 'service')),
    /file: received the entry of .*1\.2\.3-service\.json/,
  ],
  ['another name', ofEntry((e) => (e.name = 'other')), /file: received the entry of 1\/server\/other/],
  [
    'a path in the name',
    ofEntry((e) => (e.name = '../../../etc')),
    /name: received "\.\.\/\.\.\/\.\.\/etc"; expected lower-case words/,
  ],
  [
    'a path in the version',
    ofEntry((e) => (e.version = '1/../../x')),
    /version: received "1\/\.\.\/\.\.\/x"; expected a version/,
  ],
  [
    'a folder too deep',
    (s) => void (s.files['1/server/good-server/more/1.2.3-wire.json'] = '{}'),
    /good-server\/more: file: received a folder/,
  ],
  [
    'a file beside the kinds',
    (s) => void (s.files['1/notes.txt'] = 'x'),
    /1\/notes\.txt: file: received a file/,
  ],
  [
    'a symbolic link',
    (_, record) => {
      mkdirSync(join(record, '1/server/good-server'), { recursive: true })
      symlinkSync('/etc/hostname', join(record, '1/server/good-server/1.2.4-wire.json'))
    },
    /1\.2\.4-wire\.json: file: received a symbolic link/,
  ],
  [
    'a file that is too large',
    (s) => void (s.text = `${jsonText(s.entry)}${' '.repeat(60_000)}`),
    /file: received \d+ bytes; expected at most 60000/,
  ],
  ['deep nesting', (s) => void (s.text = '['.repeat(10_000_000)), /file: received 10000000 bytes/],
  [
    'bytes that are not UTF-8',
    (s) => void (s.text = jsonText(s.entry).replace('Instruct', '\xff')),
    /file: received bytes that are not UTF-8/,
  ],
  [
    'text that is not JSON',
    (s) => void (s.text = jsonText(s.entry).slice(0, -3)),
    /file: received text that cannot be parsed/,
  ],
  [
    'nested text that is not an entry',
    (s) => void (s.text = '['.repeat(50_000)),
    /file: received text that cannot be parsed/,
  ],
  [
    'a member twice',
    (s) => void (s.text = jsonText(s.entry).replace('"seed"', '"seed": 1,\n  "seed"')),
    /file: received another form of this JSON, or a member twice/,
  ],
  ['an unknown member', ofEntry((e) => (e['score'] = 99)), /score: received an unknown member/],
  [
    'a missing member',
    ofEntry((e) => delete (e as Partial<Entry>).seed),
    /seed: received nothing; expected a value of type number/,
  ],
  [
    'another schema',
    ofEntry((e) => Object.assign(e, { schema: 'touchstone.report/1' })),
    /schema: received "touchstone\.report\/1"; expected "touchstone\.result\/1"/,
  ],
  ['a digest of another form', ofEntry((e) => (e.report = 'md5:1234')), /report: received "md5:1234"/],
  [
    'no command that repeats it',
    ofEntry((e) => (e.reproduce = [])),
    /reproduce: received \[\]; expected array must contain/,
  ],
  [
    'an unknown provenance',
    ofEntry((e) => Object.assign(e, { provenance: 'official' })),
    /provenance: received "official"; expected one of reproduced/,
  ],
  [
    'a day in the future',
    ofEntry((e) => (e.date = '2026-11-25')),
    /date: received "2026-11-25"; expected a day that is not in the future/,
  ],
  [
    'a day that does not exist',
    ofEntry((e) => (e.date = '2026-02-30')),
    /date: received "2026-02-30"; expected a day of the calendar/,
  ],
  [
    'a reply from the future',
    ofCauses((c) => (the(the(c.replies)[0]).date = '2027-01-01')),
    /replies\.0\.date: received "2027-01-01"/,
  ],
  [
    'a failed check without a cause',
    ofCauses((c) => (the(c.failed['1.2.3-wire'])[MUST] = '')),
    /failed\.1\.2\.3-wire\.chat\.missing-model: received no cause yet/,
  ],
  [
    'a cause that is not there',
    ofCauses((c) => (the(c.failed['1.2.3-wire'])[MUST] = 'other')),
    /failed\.1\.2\.3-wire\.chat\.missing-model: received "other"/,
  ],
  [
    'a cause of no check',
    ofCauses((c) => (c.causes['spare'] = the(c.causes['any-model']))),
    /causes\.spare: received a cause of no check/,
  ],
  [
    'causes of no entry',
    ofCauses((c) => (c.failed['1.0.0-wire'] = { [MUST]: 'any-model' })),
    /failed\.1\.0\.0-wire: received causes of no entry/,
  ],
  [
    'a classification that does not exist',
    ofCauses((c) => Object.assign(the(c.causes['any-model']), { classification: 'minor' })),
    /classification: received "minor"; expected one of defect/,
  ],
  [
    'no causes at all',
    (s) => {
      addOther(s, entryOf({ kind: 'server', profile: 'wire' }, {}, { name: 'other' }))
      delete s.files[`1/server/other/${CAUSES}`]
    },
    /1\/server\/other\/causes\.json: file: received nothing; expected the causes of/,
  ],
  [
    'one report twice',
    (s) =>
      addOther(s, {
        ...entryOf({ kind: 'server', profile: 'wire' }, {}, { name: 'other' }),
        report: s.entry.report,
      }),
    /other\/1\.2\.3-wire\.json: report: received the report of/,
  ],
  [
    'two versions that differ in their case',
    (s) => {
      for (const version of ['2.0-Rc1', '2.0-rC1'])
        addOther(s, entryOf({ kind: 'server', profile: 'wire' }, {}, { name: 'other', version }))
    },
    /2\.0-rC1-wire\.json: file: received the path of .*2\.0-Rc1-wire\.json in another case/,
  ],
])('%s is refused, for that reason alone', (_, change, line) => {
  expect(problemsOf(change)).toEqual([expect.stringMatching(line)])
})

test.each<[string, (submission: Submission) => void]>([
  ['unchanged', () => {}],
  ...JUDGED.map((judged): [string, (submission: Submission) => void] => [
    `a ${judged.kind} by profile ${judged.profile}`,
    (s) => addOther(s, entryOf(judged, {}, { name: 'other' })),
  ]),
  ['no model', ofEntry((e) => delete e.model)],
  ['a result of the vendor', ofEntry((e) => (e.provenance = 'vendor'))],
  ['checks that were not judged', ofEntry((e) => (e.checks['chat.any-json'] = 'inconclusive'))],
  [
    'several versions',
    (s) => {
      for (const version of ['2.0-rc1', '2.0', '2.10.1'])
        addOther(s, entryOf({ kind: 'server', profile: 'wire' }, {}, { name: 'other', version }))
    },
  ],
  ['one name for two kinds', (s) => addOther(s, entryOf({ kind: 'gateway', profile: 'gateway' }))],
  ['no replies', ofCauses((c) => delete c.replies)],
])('%s is accepted', (_, change) => {
  expect(problemsOf(change)).toEqual([])
})
