// The list of models, their names and their records: which faults the cases find, and what they leave alone.
import { expect, it } from 'vitest'
import { MODELS_PATH } from '../../../../../fixtures/faulty/calls.ts'
import { judgeFault, outcomesOf, redRows } from '../scripted/judge-fault.fixture.ts'
import { MODELS } from '../scripted/service.fixture.ts'
import { cases as modelCases } from './models.ts'
import { cases as recordCases } from './model-records.ts'

const section = { cases: [...modelCases, ...recordCases] }
const [model] = MODELS

it('leaves the rows of restricted models open if no key may use the other model', async () => {
  const hidden = (text: string): boolean => text.includes('svc-0.1-other')
  const verdicts = await judgeFault(
    () => (call, forward) =>
      hidden(call.url + Buffer.from(call.body).toString())
        ? forward({ ...call, url: `${MODELS_PATH}/none` })
        : forward(call),
    section.cases,
    { target: { models: async () => [model] } },
  )
  for (const row of ['MODEL-3', 'MODEL-6'] as const)
    expect(outcomesOf(verdicts, row)).toEqual(['inconclusive'])
})

it('judges an unknown model in profile wire, and accepts a 400', async () => {
  const cases = section.cases.filter(({ requirement }) => requirement === 'MODEL-8')
  const wire = { profile: 'wire' } as const
  expect(redRows(await judgeFault('models-falls-back', cases, wire))).toEqual(['MODEL-8'])
  expect(redRows(await judgeFault('models-calls-unknown-bad-request', cases, wire))).toEqual([])
})
