// The list of models, their names and their records: which faults the cases find, and what they leave alone.
import { expect, it } from 'vitest'
import { MODELS_PATH } from '../../../../../fixtures/faulty/calls.ts'
import { judgeFault, outcomesOf, redRows } from '../scripted/judge-fault.fixture.ts'
import { MODELS } from '../scripted/service.fixture.ts'
import { testFaults, testOddities } from '../scripted/test-faults.fixture.ts'
import { cases as modelCases } from './models.ts'
import { cases as recordCases } from './records.ts'

const section = { cases: [...modelCases, ...recordCases] }
const [model] = MODELS

testFaults(section, {
  'models-lists-names': ['models.list', 'MODEL-1', 'WIRE-15'],
  'models-lists-an-array': ['models.list', 'MODEL-1', 'WIRE-15'],
  'models-lists-with-203': ['models.list', 'MODEL-1', 'WIRE-15'],
  'derived-model-list-data-id-dropped-always': ['models.list', 'MODEL-1'],
  'derived-model-list-data-empty-always': ['models.list-holds-the-model-in-use', 'MODEL-1'],
  'derived-model-list-data-id-empty-second': ['models.ids-not-empty', 'MODEL-4', 'MODEL-5'],
  'models-falls-back': ['models.unknown', 'MODEL-2', 'MODEL-5', 'MODEL-7', 'MODEL-8'],
  'models-falls-back-streamed': ['models.never-another-streamed', 'MODEL-2', 'MODEL-3', 'MODEL-8'],
  'models-calls-unknown-bad-request': ['models.unknown', 'MODEL-2', 'MODEL-3', 'MODEL-5'],
  'models-types-unknown-as-bad-request': ['models.unknown', 'MODEL-2', 'MODEL-3'],
  'models-fails-on-inherited-names': ['models.unknown-property-name', 'MODEL-2'],
  'errors-count-codes': ['models.unknown', 'MODEL-2'],
  'models-forbids-restricted': ['models.restricted', 'MODEL-3'],
  'models-opens-restricted': ['models.restricted', 'MODEL-3'],
  'models-shows-restricted-records': ['models.restricted-record', 'MODEL-3'],
  'models-lists-restricted': ['models.listed-for-a-restricted-key', 'MODEL-4'],
  'models-tells-restricted': ['models.restricted-not-told-apart', 'MODEL-6'],
  'models-names-restricted': ['models.restricted-not-told-apart', 'MODEL-6'],
  'models-hints-at-restricted': ['models.restricted-not-told-apart', 'MODEL-6'],
  'models-streams-no-restricted-param': ['models.restricted-stream-not-told-apart', 'MODEL-6'],
  'models-checks-restricted-last': ['models.restricted-bad-value-not-told-apart', 'MODEL-6'],
  'models-lists-unusable': ['models.listed-2', 'MODEL-4'],
  'models-ignores-case': ['models.id-other-case', 'MODEL-7'],
  'models-trims-names': ['models.id-space-behind', 'MODEL-7'],
  'models-matches-beginnings': ['models.id-suffix', 'MODEL-5', 'MODEL-7'],
  'models-completes-names': ['models.id-one-letter-less', 'MODEL-7'],
  'models-has-default-for-empty-name': ['models.id-empty', 'MODEL-5'],
  'models-lists-no-object': ['models.list-object', 'WIRE-15'],
  'derived-model-list-object-unknown-always': ['models.list-object', 'WIRE-15'],
  'models-lists-bare-ids': ['models.record-in-list-object', 'WIRE-15'],
  'derived-model-list-data-object-unknown-always': ['models.record-in-list-object', 'WIRE-15', 'WIRE-16'],
  'derived-model-list-data-created-wrong-type-always': [
    'models.record-in-list-created',
    'WIRE-15',
    'WIRE-16',
  ],
  'derived-model-list-data-created-fraction-always': ['models.record-in-list-created', 'WIRE-15', 'WIRE-16'],
  'derived-model-list-data-owned-by-dropped-always': ['models.record-in-list-owned-by', 'WIRE-15'],
  'models-has-no-records': ['models.record', 'WIRE-16'],
  'models-dates-records-otherwise': ['models.record', 'WIRE-16'],
  'models-owns-records-otherwise': ['models.record', 'WIRE-16'],
  'models-shows-another-record': ['models.record', 'WIRE-16'],
  'derived-model-record-created-fraction-always': ['models.record', 'WIRE-16'],
  'models-keeps-percent-encoding': ['models.record-percent-encoded', 'WIRE-16'],
  'models-has-any-record': ['models.record-unknown', 'MODEL-3', 'WIRE-16'],
})

testOddities(section)

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
