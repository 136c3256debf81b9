// A HAR that a real browser wrote of calls to the reference server: the same verifiers pass it, and find a fault in it.
import { readFileSync, writeFileSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { expect, test } from 'vitest'
import { startServerWithKey } from '../../../harness/reference-server.fixture.ts'
import { temporaryFolder } from '../../../harness/temporary-folder.fixture.ts'
import { judgeFile } from './recording.fixture.ts'

const judge = (file: string) => judgeFile(file, { profile: 'service', strict: false, allowIncomplete: false })

/** The calls of the page: a plain answer, a stream, an error and the list. */
const CALLS = `async (key) => {
  const ask = (body, authorization) => fetch('/v1/chat/completions', {
    method: 'POST', headers: { 'content-type': 'application/json', authorization }, body: JSON.stringify(body),
  }).then((answer) => answer.text())
  const messages = [{ role: 'user', content: 'Zoë, 東京' }]
  const model = 'svc-0.1-echo'
  await ask({ model, messages }, 'Bearer ' + key)
  await ask({ model, messages, stream: true, stream_options: { include_usage: true } }, 'Bearer ' + key)
  await ask({ model: 'no-such-model', messages }, 'Bearer ' + key)
  await ask({ model, messages }, 'Bearer svc_sk_wrong')
  await fetch('/v1/models', { headers: { authorization: 'Bearer ' + key } }).then((answer) => answer.json())
}`

test('a HAR of Chromium', { tags: ['chromium', 'slow'], timeout: 60_000 }, async () => {
  const path = `${temporaryFolder()}/session.har`
  await using server = await startServerWithKey()
  const browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu'],
  })
  try {
    const context = await browser.newContext({ recordHar: { path, content: 'embed' }, bypassCSP: true })
    const page = await context.newPage()
    await page.goto(`${server.baseUrl}/dashboard`)
    await page.evaluate(`(${CALLS})(${JSON.stringify(server.key)})`)
    await context.close()
  } finally {
    await browser.close()
  }
  const report = await judge(path)
  const outcomeOf = (id: string) => report.requirements.find((row) => row.id === id)?.outcome
  expect(report.requests).toBe(5)
  expect(report.checks.filter(({ outcome }) => outcome === 'fail' || outcome === 'warn')).toEqual([])
  for (const row of ['WIRE-1', 'WIRE-3', 'STREAM-2', 'STREAM-7', 'ERR-1', 'CALL-1', 'CALL-2', 'CHAT-1'])
    expect([row, outcomeOf(row)]).toEqual([row, 'pass'])
  expect(JSON.stringify(report)).not.toContain(server.key)

  // The same archive with the end of its stream taken out.
  const archive = readFileSync(path, 'utf8')
  const endless = archive.replace(/data: \[DONE\](?:\\n)+/, '')
  expect(endless.length).toBeLessThan(archive.length)
  writeFileSync(path, endless)
  const red = (await judge(path)).requirements.filter(({ outcome }) => outcome === 'fail')
  expect(red.map(({ id }) => id)).toEqual(['STREAM-2'])
})
