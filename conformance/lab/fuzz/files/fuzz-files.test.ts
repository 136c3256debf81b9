// A part of what `npx touchstone fuzz --objective files` runs, always with the same seeds.
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createRedactor } from '../../../../harness/secrets/redact.ts'
import { temporaryFolder } from '../../../../harness/temporary-folder.fixture.ts'
import { readOptions } from '../fuzz-flags.ts'
import { chancesOf } from '../judge/chances.ts'
import type { JudgeEnd } from '../judge/judge-process.ts'
import { renderJudgeReport } from '../judge/render-judge-report.ts'
import { type Broken, breakBytes, makeSpecial } from './break-file.ts'
import { type Contract, fileProblems, listing } from './file-problems.ts'
import { fuzzFiles } from './fuzz-files.ts'
import { breakZip } from './hostile-zip.ts'

async function expectNoViolation(seed: number, runs: number): Promise<void> {
  const options = readOptions(
    `--objective files --seed ${seed} --requests ${runs} --seconds 3600 --connections 2`.split(' '),
  )
  const { signal } = new AbortController()
  const report = await fuzzFiles({ options, redactor: createRedactor(), signal, onProgress: () => undefined })
  // The text has the commands that repeat each violation.
  expect(renderJudgeReport(report, { color: false, columns: 100 })).toMatch(/PASS no violation\n$/)
  expect(report.runs).toBe(runs)
}

test('the judge withstands hostile files', { timeout: 600_000 }, () => expectNoViolation(20261128, 6))

test('the judge withstands more hostile files', { tags: 'slow', timeout: 1_800_000 }, () =>
  expectNoViolation(20_262_128, 60),
)

const formOf = ({ fault, bytes }: Broken): string =>
  `${fault} ${createHash('sha256').update(bytes).digest('hex')}`

test('a seed breaks a file in the same way', () => {
  const json = Buffer.from('{"a":[1,{"b":"c"}]}')
  const members = [{ name: 'a', content: json }]
  for (let seed = 0; seed < 50; seed++)
    for (const broken of [breakBytes.bind(undefined, json), breakZip.bind(undefined, members)])
      // Some have many megabytes, which `toEqual` would compare one by one.
      expect(formOf(broken(chancesOf('a', seed)))).toBe(formOf(broken(chancesOf('a', seed))))
})

test('a special file is never a regular one', () => {
  for (let seed = 0; seed < 40; seed++) {
    const { path } = makeSpecial(join(temporaryFolder(), 'a'), chancesOf('a', seed))
    expect(existsSync(path) && lstatSync(path).isFile()).toBe(false)
  }
})

const good: JudgeEnd = {
  exitCode: 2,
  stdout: '',
  stderr: 'conformance: no\n',
  ms: 1,
  cpuMs: 1,
  peakMib: 1,
  isLate: false,
}

function problems(end: Partial<JudgeEnd>, contract: Partial<Contract> = {}) {
  const folder = temporaryFolder()
  const own = { exits: [0, 2], isUnreadable: false, folder, before: new Set(listing(folder)), written: [] }
  return fileProblems({ ...good, ...end }, { ...own, ...contract })
}

test('one line with exit code 2, and a verdict without a line, are fine', () => {
  expect(problems({})).toEqual([])
  expect(problems({ exitCode: 0, stderr: '' })).toEqual([])
  expect(problems({ stderr: '', stdout: 'run.zip\n  damaged: it has no bundle.json\n' })).toEqual([])
})

test.each<[string, Partial<JudgeEnd>, Partial<Contract>, RegExp]>([
  ['two lines', { stderr: 'conformance: a\nb\n' }, {}, /^a refusal that is not one line/],
  ['no line', { stderr: '' }, {}, /^a refusal that is not one line/],
  ['another exit code', { exitCode: 3, stderr: '' }, {}, /^exit code 3; expected 0, 2/],
  [
    'a verdict on what cannot be read',
    { exitCode: 0, stderr: '' },
    { isUnreadable: true },
    /cannot be read$/,
  ],
  ['a control character', { stdout: 'a\u001b[2Jb' }, {}, /^a control character on stdout/],
  ['a turned line', { stdout: 'a\u202eb' }, {}, /^a control character on stdout/],
  ['too much time', { cpuMs: 20_001 }, {}, /^more than 20 s of processor time$/],
])('%s is a problem', (_, end, contract, expected) => {
  expect(problems(end, contract)).toEqual([expect.stringMatching(expected)])
})

test('a file that appears or changes is a problem, and a report is none', () => {
  const folder = temporaryFolder()
  const file = (name: string): string => join(folder, name)
  writeFileSync(file('a'), 'x')
  const contract = { folder, before: new Set(listing(folder)), written: ['report.json'] }
  writeFileSync(file('report.json'), '{}')
  expect(problems({}, contract)).toEqual([])
  writeFileSync(file('a'), `${readFileSync(file('a'), 'utf8')}y`)
  writeFileSync(file('b'), 'x')
  expect(problems({}, contract)).toEqual([expect.stringMatching(/^written: (a, b|b, a)$/)])
})
