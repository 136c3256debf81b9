// A run before gateways of the project: how the judge finds the model of requests, and which faults only generated
// requests, answers and streams find.
import { type IncomingMessage, createServer } from 'node:http'
import { expect, test } from 'vitest'
import { createGateway } from '../../../fixtures/faulty-gateways/gateway.ts'
import {
  type Habits,
  OWN_HEAD,
  choicesOf,
  goodHabits,
  mapList,
} from '../../../fixtures/faulty-gateways/habits.ts'
import { asObject, without } from '../../../fixtures/faulty/json-types.ts'
import { listening } from '../../../harness/http-server.fixture.ts'
import { createRedactor } from '../../../harness/secrets/redact.ts'
import { findingsOf } from '../../report/findings/findings.ts'
import { judgeGateway } from './judge.ts'
import { startUpstream } from './scripted-upstream.ts'

const UPSTREAM_KEY = 'sk-upstream'

/** Judges a gateway of these habits, which closes the connections of lost requests, by one check. */
async function judged(
  only: string,
  runs: number,
  habits: Partial<Habits>,
  isLost: (request: IncomingMessage) => boolean = () => false,
  timeoutMs = 30_000,
  key = UPSTREAM_KEY,
) {
  const upstream = await startUpstream(0)
  const handle = createGateway({ ...goodHabits, ...habits })
  await using gateway = await listening(
    createServer((request, response) => {
      if (isLost(request)) request.socket.destroy()
      else void handle(request, response, { url: upstream.origin, key })
    }),
  )
  const credentials = { CONFORMANCE_UPSTREAM_KEY: UPSTREAM_KEY }
  const options = { baseUrl: gateway.baseUrl, upstream, only, runs, timeoutMs, credentials, seed: 20_261_124 }
  return await judgeGateway(options, createRedactor())
}

// The list is requested once more, for the models that the gateway knows.
test.each([0, 1])('the model is one of the list, of which %d requests were lost', async (lost) => {
  let asked = 0
  const isLost = ({ url }: IncomingMessage) => url?.endsWith('/models') === true && (asked += 1) <= lost
  const { target, checks } = await judged('gate.any-request', 1, {}, isLost)
  expect([target.model, asked]).toEqual(['through-the-gateway', lost + 2])
  expect(checks).toMatchObject([{ id: 'gate.any-request', outcome: 'pass' }])
})

test.each([
  [UPSTREAM_KEY, []],
  ['sk-of-another-day', ['another key, and checks look for that of CONFORMANCE_UPSTREAM_KEY']],
])('the report says so if the upstream gets another key than the given one: %s', async (key, said) => {
  const { target } = await judged('gate.any-request', 1, {}, undefined, undefined, key)
  const facts = target.facts.filter(({ name }) => name === 'key at the upstream')
  expect(facts.map(({ value }) => value)).toEqual(said)
  expect(JSON.stringify(target)).not.toContain(key)
})

test(
  'a gateway that stops answering is one finding, which names the scenario before',
  { tags: 'slow' },
  async () => {
    const habits = { hangs: (left: number) => left > 0, silenceMs: 500 }
    const report = await judged('GATE-9,GATE-12', 1, habits, undefined, 2_000)
    const failed = report.checks.filter(({ outcome }) => outcome === 'fail')
    expect(failed.map(({ id }) => id)).toEqual(['gate.keeps-answering'])
    expect(failed[0]?.actual).toMatch(/^the gateway stopped answering after (`[a-z0-9-]+`|its first answer)$/)
    const open = report.checks.filter(({ outcome }) => outcome === 'inconclusive')
    expect(open.length).toBeGreaterThan(2)
    expect(findingsOf(report)).toHaveLength(1)
  },
)

test('a client leaves a stream when it has text of the upstream, not at a first chunk of the gateway', async () => {
  const first = { ...OWN_HEAD, choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }
  const report = await judged('gate.leaves-the-stream', 1, { firstRecords: [first] })
  expect(report.checks).toMatchObject([{ outcome: 'pass' }])
})

test('a member that every answer loses is one failed check, which names it, and others that are lost too', async () => {
  const habits: Partial<Habits> = { answer: (body) => without(body, 'id', 'object') }
  const { checks } = await judged('GATE-2', 1, habits)
  expect(checks.filter(({ outcome }) => outcome !== 'pass')).toMatchObject([
    { id: 'gate.answer-head', actual: 'an answer without `id`, `object`' },
  ])
})

const cacheOptions: Habits['request'] = (body) =>
  'prompt_cache_options' in body ? { ...body, prompt_cache_options: { mode: null } } : body

const emptyRefusals: Habits['answer'] = (body) =>
  mapList(body, 'choices', (choice) =>
    asObject(choice['message'])['refusal'] === ''
      ? { ...choice, message: { ...asObject(choice['message']), refusal: 'x' } }
      : choice,
  )

const secondChoice: Habits['records'] = () => (record) => {
  if (record === '[DONE]') return [record]
  const [choice] = choicesOf(asObject(record))
  const text = String(asObject(choice?.['delta'] ?? null)['content'] ?? '')
  return choice?.['index'] === 1 && text.length > 3 ? [] : [record]
}

test.each<[string, string, Partial<Habits>, RegExp]>([
  ['gate.any-request', 'changes cache options', { request: cacheOptions }, /prompt_cache_options/],
  ['gate.any-answer', 'changes empty refusals', { answer: emptyRefusals }, /refusal ""/],
  ['gate.any-stream', 'loses texts of the second choice', { records: secondChoice }, /choices\.1/],
])('%s catches a gateway that %s', async (id, _, habits, due) => {
  const [check] = (await judged(id, 60, habits)).checks
  expect(check).toMatchObject({ id, outcome: 'fail', attribution: 'gateway' })
  expect(check?.expected).toMatch(due)
  expect(check?.exchanges.map(({ hop }) => hop)).toEqual(['client', 'upstream'])
})
