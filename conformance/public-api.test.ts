// The judge as programs import it.
import { expect, test } from 'vitest'
import { KEY, startService } from './cli/cli.fixture.ts'
import { type JudgeOptions, checks, renderReport, runConformance } from './public-api.ts'

test.each<[object, string]>([
  [{ baseURL: 'http://127.0.0.1:1' }, "no option 'baseURL': expected 'baseUrl'"],
  [{ url: 'http://127.0.0.1:1' }, "no option 'url': expected one of apiKey, "],
])('%j is refused: it would be ignored, and the reference server judged', async (options, message) => {
  for (const judge of [runConformance, checks])
    await expect(judge(options as JudgeOptions)).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringContaining(message),
    })
})

test('a requirement is a test that fails with its finding', async () => {
  await using service = await startService('invalid_api_key')
  const options = {
    baseUrl: service.baseUrl,
    apiKey: KEY,
    only: 'auth.missing-header-models,MODEL-1',
    seed: 7,
  }
  const tests = await checks(options)
  expect(tests.map(({ id, outcome }) => [id, outcome])).toEqual([
    ['AUTH-3', 'fail'],
    ['MODEL-1', 'pass'],
  ])
  const [failed, passed] = tests
  expect(failed?.title).toMatch(/^AUTH-3 \S.+[.;]$/)
  expect(() => failed?.run()).toThrow(/^FAIL AUTH-3 MUST\n.*auth\.missing-header-models.*expected/s)
  expect(() => failed?.run()).not.toThrow(KEY)
  expect(() => passed?.run()).not.toThrow()
})

test('a MUST that could not be judged fails, unless it is allowed', async () => {
  await using service = await startService()
  const options = { baseUrl: service.baseUrl, apiKey: KEY, only: 'KEY-4' }
  const [open] = await checks(options)
  expect(() => open?.run()).toThrow(/^INCONCLUSIVE KEY-4 MUST/)
  const [allowed] = await checks({ ...options, allowIncomplete: true })
  expect(() => allowed?.run()).not.toThrow()
})

test('a report is rendered in each form', async () => {
  await using service = await startService()
  const report = await runConformance({
    baseUrl: service.baseUrl,
    apiKey: KEY,
    only: 'auth.missing-header-models',
  })
  expect(JSON.parse(await renderReport(report, 'json'))).toMatchObject({ exitCode: 0 })
  expect(await renderReport(report, 'junit')).toMatch(/^<\?xml/)
  expect(await renderReport(report, 'html')).toMatch(/^<!doctype html>/i)
  expect(await renderReport(report, 'markdown')).toContain('AUTH-3')
  expect(JSON.parse(await renderReport(report, 'badge'))).toHaveProperty('schemaVersion')
})
