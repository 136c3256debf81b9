// Rate limits: which faults the cases find, and what they leave alone.
import { expect, it } from 'vitest'
import { isApi } from '../../../../../fixtures/faulty/calls.ts'
import { pathOf, withHeader } from '../../../../../fixtures/faulty/call-and-answer.ts'
import { LIMIT_HEADER } from '../../../../../fixtures/faulty/kinds-of-answers.ts'
import { refuse } from '../scripted/completions.fixture.ts'
import { judgeFault, outcomesOf, redRows } from '../scripted/judge-fault.fixture.ts'
import type { Start } from '../scripted/start-service.fixture.ts'
import { cases, observers } from './limits.ts'
import { cases as underLoad } from './under-load.ts'

const section = { cases: [...cases, ...underLoad], observers }

it('is inconclusive if no limit is known and no request is refused', async () => {
  let spare = ''
  const start: Start = ({ key }) => {
    spare = key
    return (call, forward) => forward(call)
  }
  const verdicts = await judgeFault(start, cases, { target: { limited: async () => ({ key: spare }) } })
  expect(outcomesOf(verdicts)).toEqual(['inconclusive'])
  expect(verdicts[0]?.reason).toMatch(/no 429 came in \d+ requests/)
})

it.each([undefined, '600'])(
  'is inconclusive if the key command ignores --limit, and the reported limit is %s',
  async (reported) => {
    const start: Start = () => async (call, forward) => {
      if (pathOf(call) === '/dashboard/keys') return forward({ ...call, body: Buffer.from('{}') })
      const answer = await forward(call)
      return reported === undefined ? answer : withHeader(answer, LIMIT_HEADER, reported)
    }
    const verdicts = await judgeFault(start, section.cases)
    expect(outcomesOf(verdicts)).toEqual(['inconclusive'])
    for (const { reason } of verdicts) expect(reason).toContain('the key command ignores --limit')
  },
)

it('is inconclusive if the limit is higher than the number of requests that the judge sends', async () => {
  const verdicts = await judgeFault('odd-proxy', cases, { limit: { requests: 5000, windowSeconds: 60 } })
  expect(verdicts[0]?.reason).toContain('5000')
  expect(outcomesOf(verdicts)).toEqual(['inconclusive'])
})

it('sends as many requests as a known limit admits, and a few more', async () => {
  const limit = { requests: 250, windowSeconds: 60 }
  const verdicts = await judgeFault('odd-proxy', cases.slice(0, 1), { limit })
  expect(verdicts).toMatchObject([{ requirement: 'LIMIT-1', outcome: 'pass' }])
})

it('is inconclusive if the limited key is not valid', async () => {
  const target = {
    limited: async () => ({ key: 'svc_sk_no', limit: { requests: 3, windowSeconds: 1 } }),
  }
  expect(outcomesOf(await judgeFault('odd-proxy', cases, { target }))).toEqual(['inconclusive'])
})

it('judges every 429 of a run, whichever key is refused', async () => {
  let requests = 0
  const start: Start = () => async (call, forward) => {
    requests += isApi(call) ? 1 : 0
    return requests === 1
      ? withHeader(refuse(429, 'slow_down', 'Slow down.'), 'retry-after', '0')
      : forward(call)
  }
  const verdicts = await judgeFault(start, cases, { observers })
  expect(redRows(verdicts)).toEqual(['LIMIT-1', 'LIMIT-7'])
  expect(outcomesOf(verdicts, 'LIMIT-3')).toEqual(['pass'])
})
