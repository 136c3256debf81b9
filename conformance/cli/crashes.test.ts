// Uncaught errors of the judge, through its command line: the report is there, and no exit code looks like a verdict.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'
import { readReport } from '../report/report.fixture.ts'
import {
  type HostileAnswer,
  answerWell,
  startHostileService,
  whole,
} from '../subjects/server/run/hostile-service.fixture.ts'
import { runCli } from './cli.fixture.ts'

const FORMATS = ['json', 'junit', 'html', 'markdown'] as const

/** Judges a service by the command line; `preload` is loaded into its process before it. */
async function judged(answer: HostileAnswer, only: string, preload = '') {
  await using service = await startHostileService(answer)
  const folder = temporaryFolder()
  const file = join(folder, 'preload.mjs')
  writeFileSync(file, preload)
  const reports = FORMATS.flatMap((format) => [`--${format}`, join(folder, `report.${format}`)])
  const target = ['--base-url', service.baseUrl, '--profile', 'wire', '--seed', '1', '--runs', '2']
  const ended = await runCli([...target, '--only', only, '--timeout', '20', ...reports], {
    NODE_OPTIONS: `--import ${pathToFileURL(file).href}`,
  })
  for (const format of FORMATS)
    expect(existsSync(join(folder, `report.${format}`)), `${format}: ${ended.stderr}`).toBe(true)
  expect(readFileSync(join(folder, 'report.html'), 'utf8')).toMatch(/<\/html>\s*$/)
  return { ...ended, report: readReport(join(folder, 'report.json')) }
}

/** Text of which one piece of the connection becomes many pieces of the decoder. */
const LONG = Array.from({ length: 2_000 }, (_, at) => `word${at} `)

test('a service that compresses streams although the request allows no coding is judged to the end', async () => {
  const compresses: HostileAnswer = (socket, request) => {
    if (!request.isStream) return answerWell(socket, request)
    const chunk = (delta: object, reason: string | null): string => {
      const choices = [{ index: 0, delta, finish_reason: reason }]
      const named = { id: 'c-1', created: 1_700_000_000, model: 'm-1' }
      return `data: ${JSON.stringify({ ...named, object: 'chat.completion.chunk', choices })}\n\n`
    }
    const events = [...LONG.map((content) => chunk({ content }, null)), chunk({}, 'stop'), 'data: [DONE]\n\n']
    return void socket.write(
      whole(gzipSync(events.join('')), 'Content-Encoding: gzip\r\n', 'text/event-stream'),
    )
  }
  const { code, stderr, report } = await judged(compresses, 'SDK-*,CHAT-1')
  expect(stderr).not.toContain('already closed')
  expect(code).toBe(report.exitCode)
  expect([0, 1, 3]).toContain(code)
  expect(report.checks.filter(({ outcome }) => outcome === 'error')).toEqual([])
  expect(report.faults).toEqual([])
})

/** The number of requests after which something throws. */
const REQUESTS = 12

/** Counts the requests of the judge, in the scope of each. */
const COUNTING = `
  import { subscribe } from 'node:diagnostics_channel'
  let requests = 0
  const fail = () => { throw new TypeError('thrown by a test') }
  const onRequest = (act) => subscribe('http.client.request.start', act)`

test('a callback that throws is an error of its check; the others are judged', async () => {
  const preload = `${COUNTING}
    onRequest(() => { if ((requests += 1) === ${REQUESTS}) setImmediate(fail) })`
  const { code, stderr, report } = await judged(answerWell, 'CHAT-1,CHAT-2,WIRE-2', preload)
  const errors = report.checks.filter(({ outcome }) => outcome === 'error')
  expect(errors.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/TypeError: thrown by a test\n {4}at .*preload\.mjs/),
  ])
  expect(report.totals.inconclusive).toBe(0)
  expect(report.totals.pass).toBeGreaterThan(5)
  expect([code, report.exitCode, report.faults, stderr]).toEqual([2, 2, [], ''])
})

test('an error that belongs to no check ends the run with exit code 2, one line and the report so far', async () => {
  // A timer of no scope.
  const preload = `${COUNTING}
    onRequest(() => { requests += 1 })
    const timer = setInterval(() => {
      if (requests < ${REQUESTS}) return
      clearInterval(timer)
      fail()
    }, 1).unref()`
  const slow: HostileAnswer = (socket, request) => void setTimeout(() => answerWell(socket, request), 20)
  const { code, stderr, report } = await judged(slow, 'CHAT-*,WIRE-*', preload)
  expect([code, report.exitCode, report.interrupted]).toEqual([2, 2, true])
  expect(stderr).toMatch(/^conformance: the judge itself failed, so there is no verdict: thrown by a test\n$/)
  expect(report.faults).toEqual([expect.stringMatching(/TypeError: thrown by a test\n {4}at .*preload\.mjs/)])
  expect(report.totals.error).toBe(0)
  expect(report.totals.inconclusive).toBeGreaterThan(0)
})

test.each([
  [
    'list',
    'setTimeout(() => { throw new Error("thrown by a test") }, 0)',
    /^conformance: .*thrown by a test/,
  ],
  ['list', 'setTimeout(() => { void Promise.reject(new Error("thrown by a test")) }, 0)', /thrown by a test/],
])('an error outside of a run of `%s` is exit code 2', async (command, act, line) => {
  const file = join(temporaryFolder(), 'preload.mjs')
  // When the program has been loaded, which then owns its process.
  writeFileSync(
    file,
    `const timer = setInterval(() => { if (process.listenerCount('beforeExit') === 0) return; clearInterval(timer); ${act} }, 0)`,
  )
  const { code, stderr } = await runCli([command], { NODE_OPTIONS: `--import ${pathToFileURL(file).href}` })
  expect(code).toBe(2)
  expect(stderr).toMatch(line)
})
