// Which rows a recording decides, for services and for the programs that call them.
import { describe, expect, test } from 'vitest'
import { CARRIED, KEY, type Sent, clientRows, judge } from './recording.fixture.ts'

describe('keys', () => {
  test.each<[string, Partial<Sent>, string, string | undefined]>([
    ['as it should be', {}, 'CALL-1', 'pass'],
    ['in quotes', { headers: [['Authorization', `Bearer "${KEY}"`], CARRIED[1]] }, 'CALL-1', 'fail'],
    ['in another header too', { headers: [...CARRIED, ['X-Mine', KEY]] }, 'CALL-2', 'fail'],
    ['no header in any request', { headers: [CARRIED[1]] }, 'CALL-1', undefined],
  ])('%s', async (_, sent, row, outcome) => {
    expect((await clientRows({ atMs: 0, status: 200, ...sent }))[row]).toBe(outcome)
  })

  test('the place of the evidence is in the report, and its row can be judged again', async () => {
    const { checks } = await judge([
      { atMs: 0, status: 200 },
      { atMs: 1, status: 200, text: KEY },
    ])
    const check = checks.find(({ id }) => id === 'call.key-in-body')
    expect(check?.place).toBe('line 3')
    expect(check?.rerun).toMatch(/--only call\.key-in-body --seed 1$/)
    expect(checks.find(({ id }) => id === 'chat.every-content')).toMatchObject({
      place: 'line 2',
      rerun: expect.stringMatching(/--only chat\.every-content --seed 1$/),
    })
  })

  test('a service that answers without a key', async () => {
    const sent = [
      { atMs: 0, status: 500 },
      { atMs: 1, status: 500, headers: [CARRIED[1]] },
    ]
    const { requirements } = await judge(sent, { profile: 'service', subject: 'server' })
    const outcomeOf = (row: string) => requirements.find(({ id }) => id === row)?.outcome
    expect(['AUTH-1', 'AUTH-3'].map(outcomeOf)).toEqual(['fail', 'fail'])
    expect(['AUTH-2', 'AUTH-4'].map(outcomeOf)).toEqual(['not-applicable', 'not-applicable'])
  })
})

test('every row has a result, with a reason unless it passes', async () => {
  const { checks, coverage, subject, target } = await judge([{ atMs: 0, status: 200 }])
  expect(subject).toBe('recording')
  expect(target).toMatchObject({ baseUrl: 'http://x', model: 'm' })
  expect(coverage.notCovered).toEqual([])
  expect(checks.filter(({ outcome, reason }) => outcome !== 'pass' && reason === undefined)).toEqual([])
})

test('each service is judged by itself and named, or the one that --base-url names', async () => {
  const sent = [
    { atMs: 0, status: 200, url: 'http://telemetry/v1/traces' },
    { atMs: 0, status: 200, url: 'http://a/v1/chat/completions' },
    { atMs: 1, status: 200, url: 'http://b/team/v1/chat/completions', headers: [CARRIED[1]] },
    { atMs: 2, status: 200, url: 'http://b/other' },
    { atMs: 3, status: 200, url: 'http://shop/models' },
  ]
  const both = await judge(sent, { profile: 'service', subject: 'server' })
  expect(both.target.baseUrl).toBe('http://a, http://b/team')
  const facts = new Map(both.target.facts.map(({ name, value }) => [name, value]))
  expect(facts.get('entries')).toBe(5)
  expect(facts.get('exchanges of http://a')).toBe(1)
  expect(facts.get('exchanges of http://b/team')).toBe(1)
  expect(facts.get('requests to other addresses, not judged')).toBe(3)
  // No request to the second service has a key, so that nothing says that it wants one.
  expect(both.requirements.find(({ id }) => id === 'AUTH-1')?.outcome).toBe('not-applicable')
  expect((await judge(sent, { baseUrl: 'http://b/team' })).target.baseUrl).toBe('http://b/team')
  await expect(judge(sent, { baseUrl: 'http://c' })).rejects.toThrow(/no request of http:\/\/c was recorded/)
})

test.each([
  ['http://x/api/v3', 2],
  ['http://x/v1beta/openai', 2],
  ['http://x/openai/deployments/a', 1],
  ['http://x', 1],
])('of %s, %i of a completion and another path are judged', async (service, count) => {
  const { requests } = await judge([
    { atMs: 0, status: 200, url: `${service}/chat/completions?api-version=1` },
    { atMs: 1, status: 404, url: `${service}/logo.png` },
  ])
  expect(requests).toBe(count)
})

test.each([
  [200, 400],
  [400, 200],
])('the worst of two services decides: %i and %i', async (one, other) => {
  const { requirements } = await judge(
    [
      { atMs: 0, status: one, url: 'http://a/v1/chat/completions' },
      { atMs: 1, status: other, url: 'http://b/v1/chat/completions' },
    ],
    { subject: 'server' },
  )
  // The body of each answer is an error, which fails for a status of success.
  expect(requirements.find(({ id }) => id === 'CHAT-1')?.outcome).toBe('fail')
})

test('a recording without a request of a service', async () => {
  await expect(judge([])).rejects.toThrow(/no request that ends in \/chat\/completions or \/models/)
})
