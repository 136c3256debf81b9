// Generated requests, answers and streams find what no scenario tries, and shrink it.
import { createServer } from 'node:http'
import { expect, test } from 'vitest'
import { createGateway } from '../../../fixtures/faulty-gateways/gateway.ts'
import { type Habits, choicesOf, goodHabits, mapList } from '../../../fixtures/faulty-gateways/habits.ts'
import { asObject, type Json } from '../../../fixtures/faulty/json-types.ts'
import { listening } from '../../../harness/http-server.fixture.ts'
import { createRedactor } from '../../../harness/redact.ts'
import type { ReportCheck } from '../../contract/report.ts'
import { judgeGateway } from './judge.ts'
import { startUpstream } from './upstream.ts'

/** Judges a gateway of these habits by one property. */
async function judged(id: string, habits: Partial<Habits>): Promise<ReportCheck | undefined> {
  const upstream = await startUpstream(0)
  const handle = createGateway({ ...goodHabits, ...habits })
  await using gateway = await listening(
    createServer(
      (request, response) => void handle(request, response, { url: upstream.origin, key: 'sk-upstream' }),
    ),
  )
  const { checks } = await judgeGateway(
    { baseUrl: gateway.baseUrl, upstream, only: id, runs: 60, seed: 20_261_124 },
    createRedactor(),
  )
  return checks[0]
}

const longTexts = (record: Json) =>
  choicesOf(asObject(record)).some(({ delta }) => String(asObject(delta)['content'] ?? '').length > 3)

test.each([
  [
    'gate.any-request',
    'changes cache options',
    {
      request: (body) =>
        'prompt_cache_options' in body ? { ...body, prompt_cache_options: { mode: null } } : body,
    },
    /prompt_cache_options/,
  ],
  [
    'gate.any-answer',
    'changes empty refusals',
    {
      answer: (body) =>
        mapList(body, 'choices', (choice) =>
          asObject(choice['message'])['refusal'] === ''
            ? { ...choice, message: { ...asObject(choice['message']), refusal: 'x' } }
            : choice,
        ),
    },
    /refusal ""/,
  ],
  [
    'gate.any-stream',
    'loses texts of the second choice',
    {
      records: () => (record) =>
        record !== '[DONE]' && choicesOf(asObject(record))[0]?.['index'] === 1 && longTexts(record)
          ? []
          : [record],
    },
    /choices\.1/,
  ],
] satisfies readonly [string, string, Partial<Habits>, RegExp][])('%s: %s', async (id, _, habits, due) => {
  const good = await judged(id, {})
  expect(good).toMatchObject({ id, outcome: 'pass' })
  const check = await judged(id, habits)
  expect(check).toMatchObject({ id, outcome: 'fail', attribution: 'gateway' })
  expect(check?.expected).toMatch(due)
  expect(check?.exchanges.map(({ hop }) => hop)).toEqual(['client', 'upstream'])
})
