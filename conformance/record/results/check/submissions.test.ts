// Every bad submission is refused for its own reason and no other: each is a good one with one change.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Entry, Implementation } from '../entry.ts'
import { makeEntry, readReport } from '../make-entry.ts'
import { ABOUT, ADDED, JUDGED, reportOf, temporaryRecord } from '../record.fixture.ts'
import { CAUSES, entryKey, folderOf, jsonText } from '../record.ts'
import { checkRecord } from './check-record.ts'

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

function entryOf(judged: (typeof JUDGED)[number], outcomes = {}, added: Partial<Entry> = {}): Entry {
  const report = reportOf(judged, outcomes, { seed: Math.floor(Math.random() * 1e9) })
  return structuredClone(
    makeEntry(readReport(Buffer.from(JSON.stringify(report)), 'report'), { ...ADDED, ...added }),
  )
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
  return checkRecord(record, now).map(
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
    'a key in a header',
    ofEntry((e) => e.flags.push('--header', 'x-api-key: a8f3kd93jfk2')),
    /flags\.3: received a credential/,
  ],
  [
    'a bearer value',
    ofEntry((e) => e.reproduce.push("curl -H 'Authorization: Bearer q8f3kd93jfk2'")),
    /reproduce\.2: received a credential/,
  ],
  [
    'a key of this service',
    ofEntry((e) => e.reproduce.push('run svc_sk_abc')),
    /reproduce\.2: received a key of this service/,
  ],
  [
    'a key of another service',
    ofEntry((e) => e.reproduce.push('run sk-proj-Abcdef')),
    /reproduce\.2: received a key;/,
  ],
  [
    'a key in a variable',
    ofEntry((e) => e.reproduce.unshift('export OPENAI_API_KEY=q8f3kd93jfk2')),
    /reproduce\.0: received a credential/,
  ],
  ['a token of a hub', ofEntry((e) => (e.model = 'hf_abcdefghijklmnopqrst')), /model: received a token/],
  ['a random word', ofEntry((e) => (e.model = 'x9Kf83jd02Lq7ZpT5vB1')), /model: received a random word/],
  [
    'a long word with digits in three places',
    ofEntry((e) => (e.model = 'abcdefghijkl1mnopqrstu2')),
    /model: received a random word/,
  ],
  [
    'a long word with a digit among letters of both cases',
    ofEntry((e) => (e.model = 'abcdefgHIJKL1mnopqrstu')),
    /model: received a random word/,
  ],
  [
    'a JSON Web Token',
    ofEntry((e) => e.flags.push('eyJhbGciOiJIUzI1NiJ9.eyJz')),
    /flags\.2: received a JSON Web Token/,
  ],
  [
    'credentials in an address',
    ofEntry((e) => e.reproduce.push('curl http://me:q8f3kd93jfk2@127.0.0.1/')),
    /reproduce\.2: received credentials in an address/,
  ],
  [
    'a public address',
    ofEntry((e) => e.flags.push('https://api.acme.dev')),
    /flags\.2: received an address other than loopback/,
  ],
  [
    'a private IP address',
    ofEntry((e) => e.reproduce.push('serve --host 10.1.2.3')),
    /reproduce\.2: received an address/,
  ],
  [
    'an IPv6 address',
    ofEntry((e) => e.reproduce.push('serve --host fe80::1')),
    /reproduce\.2: received an address/,
  ],
  [
    'a name of an internal machine',
    ofEntry((e) => e.reproduce.push('ssh gpu1.corp.internal')),
    /reproduce\.2: received an address/,
  ],
  [
    'a home folder',
    ofEntry((e) => e.reproduce.push('cd /home/me/server')),
    /reproduce\.2: received a home folder/,
  ],
  [
    'a key in a cause',
    ofCauses((c) => (the(c.causes['any-model']).received = 'sk-live-abcdef')),
    /causes\.any-model\.received: received a key/,
  ],
  [
    'a key in a reply',
    ofCauses((c) => (the(the(c.replies)[0]).text = 'Use Bearer q8f3kd93jfk2.')),
    /replies\.0\.text: received a credential/,
  ],
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
  [
    'placeholders of keys',
    ofEntry((e) => e.reproduce.push('curl -H "Authorization: Bearer $KEY" --api-key KEY --token <token>')),
  ],
  [
    'keys that local servers document',
    ofEntry((e) => e.reproduce.push('serve --api-key sk-1234', 'OPENAI_API_KEY=not-needed run')),
  ],
  [
    'loopback addresses',
    ofEntry((e) => e.reproduce.push('serve --host 0.0.0.0 http://localhost:8000 http://[::1]:80/v1')),
  ],
  [
    'an image by its digest',
    ofEntry((e) => e.reproduce.push(`docker run ghcr.io/x/y@sha256:${'a1'.repeat(32)}`)),
  ],
  [
    'a commit',
    ofEntry((e) => e.reproduce.push(`git clone https://github.com/x/y && git checkout ${'a1b2'.repeat(10)}`)),
  ],
  ['versions with four numbers', ofEntry((e) => e.reproduce.push('pip install vllm==0.10.1.2'))],
  ['a long name of a model', ofEntry((e) => (e.model = 'Qwen2.5-Coder-0.5B-Instruct-Q4_K_M.gguf'))],
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
