// A judge that ends in the wrong way is a violation for that reason, and a good one is none.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../harness/temporary-folder.fixture.ts'
import { type JudgeRun, problemsOf, runJudge } from './judge-process.ts'

const answer = (at: string): string =>
  JSON.stringify({
    startedDateTime: '2026-11-28T10:00:00.000Z',
    request: { method: 'POST', url: at, headers: [], postData: { text: '{"messages":[]}' } },
    response: { status: 400, headers: [], content: { text: '{"error":{"message":"No."}}' } },
  })
const archiveOf = (at: string): string =>
  `{"log":{"version":"1.2","creator":{"name":"x"},"entries":[${answer(at)}]}}`

/** Runs the judge of a recording whose process has this fault; returns what is wrong. */
async function problems(
  fault: string,
  more: Partial<JudgeRun> = {},
  archive = archiveOf('http://a/v1/models'),
) {
  const folder = temporaryFolder()
  const [preload, file] = [join(folder, 'fault.mjs'), join(folder, 'session.har')]
  writeFileSync(preload, fault)
  writeFileSync(file, archive)
  const run: JudgeRun = {
    args: ['recorded', file],
    env: { NODE_OPTIONS: `--import ${pathToFileURL(preload).href}` },
    folder,
    boundMs: 60_000,
    memoryMib: 1024,
    signal: new AbortController().signal,
    ...more,
  }
  return problemsOf(await runJudge(run), run)
}

const atExit = (act: string): string => `process.on('exit', () => { ${act} })`

test('a judge that reports what it found has no problem', async () => {
  expect(await problems('')).toEqual([])
})

test('a file that cannot be judged is one line, and no report', async () => {
  expect(await problems('', {}, 'no recording')).toEqual([])
})

test.each([
  [
    'exits with a code of its own',
    atExit('process.reallyExit(7)'),
    [/^exit code 7$/, /^exit code 7, and \d in the report$/],
  ],
  [
    'is killed',
    atExit("process.kill(process.pid, 'SIGKILL')"),
    [/^exit code none, by a signal$/, /^exit code null/],
  ],
  ['prints a stack', atExit("console.error(new Error('x').stack)"), [/^a stack on the terminal: Error: x$/]],
  [
    'loses a report',
    "import fs from 'node:fs'; const lost = process.argv.find((word) => word.endsWith('.junit')); " +
      atExit('fs.rmSync(lost)'),
    [/^no report as junit$/],
  ],
  ['ends without a report', 'process.exit(0)', [/^no report with exit code 0: $/]],
  [
    'exits with another code than its report has',
    atExit('process.reallyExit(process.exitCode === 3 ? 0 : 3)'),
    [/^exit code \d, and \d in the report$/],
  ],
])('a judge that %s is reported', async (_, fault, reasons) => {
  const found = await problems(fault)
  expect(found).toEqual(reasons.map((reason) => expect.stringMatching(reason)))
})

test('a judge that does not end, and one that needs too much memory, are reported', async () => {
  expect(await problems('await new Promise((done) => setTimeout(done, 1e9))', { boundMs: 1_000 })).toEqual([
    'not ended within its bound of 1 s',
  ])
  const held =
    'globalThis.held = Buffer.alloc(300 * 2 ** 20, 1); await new Promise((done) => setTimeout(done, 1000))'
  const found = await problems(held, { memoryMib: 250 })
  if (process.platform === 'linux') expect(found).toEqual(['more than 250 MiB of memory'])
})
