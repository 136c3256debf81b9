import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { contain } from '../../../../harness/containment.ts'
import type { Case, CaseContext } from '../case.ts'
import { caseSeed } from './context.ts'
import { madeExchange } from '../../../../harness/exchange.fixture.ts'
import type { Exchange } from '../../../../harness/http/exchange.ts'
import type { CheckResult } from '../../../contract/result.ts'
import { type RunOptions, runCases } from './run-cases.ts'
import { MOST_FAILURES, MOST_TRIALS, TRIAL_REQUESTS, createCircuitBreaker } from './circuit-breaker.ts'
import { MOST_REFUSED_CHECKS } from './refusals.ts'
import { CheckFailure, Inconclusive, NotApplicable, type Outcome } from '../../../contract/outcome.ts'
import { TransportError } from '../../../../harness/http/transport-error.ts'
import { madeTarget } from '../../../facts/target.fixture.ts'
import { answered, madeSender } from './sender.fixture.ts'

const request = { path: '/v1/models' }
const mismatch = { expected: 'a', actual: 'b' }

function options(more: Partial<RunOptions> = {}): RunOptions {
  return {
    target: madeTarget(),
    sender: madeSender(),
    seed: 1,
    runs: 5,
    concurrency: 4,
    strict: false,
    require: [],
    signal: new AbortController().signal,
    ...more,
  }
}

function makeCase(run: Case['run'], more: Partial<Case> = {}): Case {
  return { id: 'test.case', requirement: 'AUTH-1', title: 'a test', run, ...more }
}

async function runOne(
  run: Case['run'],
  more: Partial<RunOptions> = {},
  about: Partial<Case> = {},
): Promise<CheckResult> {
  const [result] = await runCases([makeCase(run, about)], options(more))
  if (result === undefined) throw new Error('no result')
  return result
}

/** A case that sends a request, then throws. */
const throwing =
  (thrown: unknown): Case['run'] =>
  async (t) => {
    t.expect(await t.send(request), () => undefined)
    throw thrown
  }

const passing: Case['run'] = async (t) => t.assert((await t.send(request)).response.status === 200, mismatch)

/** Runs this number of passing cases, each with an id of its own. */
const runMany = (
  length: number,
  more: Partial<RunOptions>,
  about: Partial<Case> = {},
): Promise<readonly CheckResult[]> => {
  const cases = Array.from({ length }, (_, nth) => makeCase(passing, { ...about, id: `test.${nth}` }))
  return runCases(cases, options(more))
}

test('a case that sends and asserts, and returns, passes', async () => {
  const result = await runOne(passing)
  expect(result).toMatchObject({ id: 'test.case', requirement: 'AUTH-1', level: 'MUST', outcome: 'pass' })
  expect(result).not.toHaveProperty('reason')
})

test.each<[string, Case['run'], RegExp]>([
  ['sends nothing', async (t) => t.assert(true, mismatch), /sent no request/],
  ['asserts nothing', async (t) => void (await t.send(request)), /evaluated no assertion/],
  ['does nothing', async () => {}, /sent no request/],
  ['has a fault of its own', throwing(new TypeError('x is undefined')), /x is undefined/],
  ['throws no error', throwing('text'), /text/],
])('a case that %s is an error of the suite', async (_, run, reason) => {
  const result = await runOne(run)
  expect(result.outcome).toBe('error')
  expect(result.reason).toMatch(reason)
})

const transport = new TransportError('the connection was broken', madeExchange().request)

test.each<[unknown, Outcome]>([
  [new CheckFailure(mismatch), 'fail'],
  [transport, 'inconclusive'],
  [new NotApplicable('no echo'), 'not-applicable'],
  [new Inconclusive('no key'), 'inconclusive'],
  [
    new Error('Connection error.', { cause: new TypeError('fetch failed', { cause: transport }) }),
    'inconclusive',
  ],
])('%s ends a case, also behind the error of a client library', async (thrown, outcome) => {
  const result = await runOne(throwing(thrown))
  expect(result.outcome).toBe(outcome)
  expect(result.reason).toBeTruthy()
})

test('what does not hold fails a MUST, warns of a SHOULD unless judged strictly, and is reported of a MAY', async () => {
  const fails = throwing(new CheckFailure(mismatch))
  const outcomeOf = async (requirement: Case['requirement'], strict: boolean): Promise<Outcome> =>
    (await runOne(fails, { strict }, { requirement })).outcome
  expect(await outcomeOf('AUTH-1', false)).toBe('fail')
  expect(await outcomeOf('AUTH-7', false)).toBe('warn')
  expect(await outcomeOf('AUTH-7', true)).toBe('fail')
  expect(await outcomeOf('KEY-9', true)).toBe('not-applicable')
})

test('a failure keeps its evidence last, and the request that no answer came to', async () => {
  const first = madeExchange({ body: 'first' })
  const second = madeExchange({ body: 'second' })
  const answers = [first, second]
  const sender = madeSender(() => answers.shift() ?? madeExchange())
  const result = await runOne(
    async (t) => {
      const evidence = await t.send(request)
      await t.send(request)
      t.expect(evidence, () => mismatch)
    },
    { sender },
  )
  expect(result.exchanges).toEqual([second, first])
  expect(result.mismatch).toEqual(mismatch)
  expect((await runOne(throwing(transport))).unanswered).toBe(transport.request)
})

test('inconclusive names the variable that would let it be judged', async () => {
  const result = await runOne(throwing(new Inconclusive('a key is needed', 'CONFORMANCE_SECOND_KEY')))
  expect(result).toMatchObject({ outcome: 'inconclusive', variable: 'CONFORMANCE_SECOND_KEY' })
})

test('a refused capability is not applicable, and fails if it is required', async () => {
  const target = madeTarget({
    supports: async () => false,
    requireField: async () => {
      throw new NotApplicable('the target refuses n by name')
    },
  })
  const needsIt: Case['run'] = async (t) => t.target.requireField('n')
  expect((await runOne(needsIt, { target })).outcome).toBe('not-applicable')
  expect((await runOne(needsIt, { target, require: ['stop'] })).outcome).toBe('not-applicable')
  expect(await runOne(needsIt, { target, require: ['n'] })).toMatchObject({
    outcome: 'fail',
    reason: expect.stringContaining('n'),
  })
})

test('a case whose time is over is inconclusive, whether it listens or not', async () => {
  const listens: Case['run'] = async (t) => void (await sleep(60_000, undefined, { signal: t.signal }))
  const deaf: Case['run'] = () => new Promise(() => {})
  for (const run of [listens, deaf])
    expect(await runOne(run, { caseTimeoutMs: 50 })).toMatchObject({
      outcome: 'inconclusive',
      reason: 'not judged within 0.05 s',
    })
})

test('a failure that is found at the last moment is a failure', async () => {
  const late: Case['run'] = async (t) => {
    await sleep(60_000, undefined, { signal: t.signal }).catch(() => {})
    throw new CheckFailure(mismatch)
  }
  expect((await runOne(late, { caseTimeoutMs: 50 })).outcome).toBe('fail')
})

test('waiting for a 429 is not the time of a case', async () => {
  const answers = [madeExchange({ status: 429, headers: [['Retry-After', '0.3']] }), answered]
  const sender = madeSender(
    () => answers.shift() ?? answered,
    (ms, signal) => sleep(ms, undefined, { signal }),
  )
  expect((await runOne(passing, { sender, caseTimeoutMs: 150 })).outcome).toBe('pass')
})

const silence = new TransportError('no answer within 30 s', madeExchange().request, { isLate: true })

/** A sender whose target answers, or fails, by the number of the request, which starts at 1; each takes a moment. */
function counted(answer: (nth: number) => Exchange | Error) {
  let asked = 0
  let nowMs = 0
  const now = (): number => (nowMs += 1)
  const respond = (): Exchange => {
    const result = answer((asked += 1))
    if (result instanceof Error) throw result
    return result
  }
  const breaker = createCircuitBreaker({ model: () => 'm', timeoutMs: 1000, now, pause: async () => {} })
  const sender = madeSender(respond, undefined, { breaker, now })
  return { sender, asked: () => asked }
}

const countOf = (results: readonly CheckResult[], outcome: Outcome): number =>
  results.filter((result) => result.outcome === outcome).length

test.each([
  // Each check asks twice; four late requests in a row are enough for one trial of each kind.
  ['never answers', silence, 16 + 4 * TRIAL_REQUESTS],
  ['breaks every connection', transport, MOST_FAILURES + 4 + 4 * MOST_TRIALS * TRIAL_REQUESTS],
])('a target that %s is not queried forever', async (_, error, most) => {
  const { sender, asked } = counted(() => error)
  const results = await runMany(200, { sender, concurrency: 4 })
  expect(asked()).toBeLessThanOrEqual(most)
  expect(countOf(results, 'inconclusive')).toBe(200)
  expect(results.at(-1)?.reason).toMatch(/^the service has not answered after \d+ requests: /)
  expect(sender.ended()?.message).toBe(results.at(-1)?.reason)
})

test('an answer resets the number of silences in a row', async () => {
  const { sender } = counted((nth) => (nth % 3 === 0 ? answered : silence))
  const results = await runMany(60, { sender, concurrency: 1 })
  expect([countOf(results, 'pass'), countOf(results, 'inconclusive')]).toEqual([30, 30])
})

test('a target that refuses every check for a limit is not queried forever', async () => {
  const spent = madeExchange({ status: 429, body: { error: { code: 'insufficient_quota' } } })
  const { sender, asked } = counted(() => spent)
  const results = await runMany(50, { sender, concurrency: 1 })
  expect(asked()).toBe(MOST_REFUSED_CHECKS)
  expect(results.at(-1)).toMatchObject({
    outcome: 'inconclusive',
    reason: expect.stringContaining('in a row'),
  })
})

test.each<[Case['requirement'], Outcome]>([
  ['CHAT-1', 'inconclusive'],
  ['CHAT-9', 'fail'],
])('of an answer that is cut each time, %s is judged: %s', async (requirement, outcome) => {
  const sender = madeSender(() => madeExchange({ end: 'timeout' }))
  const strictly: Case['run'] = async (t) => t.expect(await t.send(request), () => mismatch)
  expect((await runOne(strictly, { sender }, { requirement })).outcome).toBe(outcome)
})

test('a broken connection does not stop the next cases', async () => {
  const { sender } = counted((nth) => (nth <= 20 ? transport : answered))
  const results = await runMany(50, { sender, concurrency: 1 })
  expect([countOf(results, 'inconclusive'), countOf(results, 'pass')]).toEqual([10, 40])
  const unjudged = results.filter(({ outcome }) => outcome === 'inconclusive')
  expect(unjudged.every(({ reason }) => reason?.includes('broken') === true)).toBe(true)
})

test('an interrupted run ends its cases', async () => {
  const controller = new AbortController()
  setTimeout(() => controller.abort(new Inconclusive('interrupted')), 50)
  const waits: Case['run'] = async (t) => void (await sleep(60_000, undefined, { signal: t.signal }))
  const result = await runOne(waits, { signal: controller.signal })
  expect(result).toMatchObject({ outcome: 'inconclusive', reason: 'interrupted' })
})

test('no more cases run at once than are allowed, and nothing beside an exclusive one', async () => {
  let running = 0
  let exclusive = 0
  let most = 0
  const busy =
    (own: boolean): Case['run'] =>
    async (t: CaseContext) => {
      running += 1
      if (own) exclusive += 1
      most = Math.max(most, running)
      t.assert(exclusive === 0 || running === 1, mismatch)
      await sleep(5)
      await t.send(request)
      running -= 1
      if (own) exclusive -= 1
    }
  const cases = Array.from({ length: 20 }, (_, at) =>
    makeCase(busy(at % 4 === 0), { id: `test.${at}`, exclusive: at % 4 === 0 }),
  )
  const results = await runCases(cases, options({ concurrency: 3 }))
  expect(results.map(({ id, outcome }) => [id, outcome])).toEqual(cases.map(({ id }) => [id, 'pass']))
  expect(most).toBe(3)
})

test('a case knows its seed, which depends on the run and on its id alone', async () => {
  const seeds: number[] = []
  const notes: Case['run'] = async (t: CaseContext) => {
    seeds.push(t.seed)
    await passing(t)
  }
  await runCases([makeCase(notes), makeCase(notes, { id: 'test.other' })], options())
  await runOne(notes)
  expect(seeds[2]).toBe(seeds[0])
  expect(seeds[1]).not.toBe(seeds[0])
  expect(caseSeed(1, { id: 'test.case' })).toBe(seeds[0])
  expect(caseSeed(2, { id: 'test.case' })).not.toBe(seeds[0])
})

test('chat sends the model of the target, unless the case says otherwise', async () => {
  const bodies: unknown[] = []
  const sender = madeSender((spec) => {
    bodies.push([spec.path, JSON.parse(String(spec.body))])
    return madeExchange()
  })
  await runOne(
    async (t) => {
      t.expect(await t.chat({ n: 1 }), () => undefined)
      await t.chat({ model: 'other' }, { path: '/v1/elsewhere' })
    },
    { sender },
  )
  expect(bodies).toEqual([
    ['/v1/chat/completions', { model: 'svc-0.1-test', n: 1 }],
    ['/v1/elsewhere', { model: 'other' }],
  ])
})

/** A case that passes, and of which nothing catches an error after this time, in milliseconds. */
const leaving =
  (ms: number, waitMs = 0): Case['run'] =>
  async (t) => {
    t.expect(await t.send(request), () => undefined)
    setTimeout(() => {
      throw new TypeError('Controller is already closed')
    }, ms)
    await sleep(waitMs)
  }

test.each([
  ['while the case runs', leaving(1, 60_000)],
  ['when the case has ended', leaving(5)],
])('an error that nothing catches, %s, is an error of that case alone', async (_, run) => {
  const cases = [
    makeCase(passing, { id: 'test.before' }),
    makeCase(run, { id: 'test.crashes' }),
    makeCase(
      async (t) => {
        await sleep(50)
        return passing(t)
      },
      { id: 'test.after' },
    ),
  ]
  const results = await contain(
    (error) => {
      throw error
    },
    () => runCases(cases, options({ concurrency: 3 })),
  )
  expect(results.map(({ id, outcome }) => [id, outcome])).toEqual([
    ['test.before', 'pass'],
    ['test.crashes', 'error'],
    ['test.after', 'pass'],
  ])
  expect(results[1]?.reason).toMatch(
    /TypeError: Controller is already closed[^]*\n {4}at .*run-cases\.test\.ts/,
  )
})

test('a failed assertion in a promise that is not awaited is an error, and no verdict on the row', async () => {
  const run: Case['run'] = async (t) => {
    await t.send(request)
    void (async () => t.assert(false, mismatch))()
    await sleep(60_000)
  }
  const { outcome, mismatch: shown } = await contain(
    () => {},
    () => runOne(run),
  )
  expect([outcome, shown]).toEqual(['error', undefined])
})
