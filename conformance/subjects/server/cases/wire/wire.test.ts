// The members of a completion, the request fields and the refusals of those that are not supported: which faults the
// cases find, and what they leave alone.
import { expect, it } from 'vitest'
import { bodyOfCall } from '../../../../../fixtures/faulty/calls.ts'
import { sendError } from '../../../../../fixtures/faulty/error-edits.ts'
import { chain, editReplies } from '../../../../../fixtures/faulty/edits.ts'
import { asNumber } from '../../../../../fixtures/faulty/json.ts'
import { editChunkChoices, editFinishReason } from '../../../../../fixtures/faulty/stream-edits.ts'
import { judgeFault, notPassed } from '../scripted/judge-fault.fixture.ts'
import type { Start } from '../scripted/start-service.fixture.ts'
import { testChecks, testFaults, testOddities } from '../scripted/test-faults.fixture.ts'
import { completionCases, completionObservers as observers } from './completion.ts'
import { fieldCases } from './fields.ts'
import { nullCases } from './nulls.ts'
import { stopCases } from './stop.ts'
import { tokenLimitCases } from './token-limits.ts'
import { unsupportedCases } from './unsupported.ts'
import { usageCases } from './usage.ts'

const section = {
  cases: [
    ...completionCases,
    ...fieldCases.filter(({ requirement }) => requirement !== 'CHAT-8'),
    ...tokenLimitCases,
    ...stopCases,
    ...nullCases,
    ...unsupportedCases,
    ...usageCases,
  ],
  observers,
}

testFaults(section, {
  'derived-completion-id-dropped-always': ['wire.id', 'WIRE-1'],
  'derived-completion-id-wrong-type-always': ['wire.id', 'WIRE-1'],
  'wire-names-another-object': ['wire.object', 'WIRE-1'],
  'wire-counts-milliseconds': ['wire.created', 'WIRE-1'],
  'derived-completion-created-fraction-always': ['wire.created', 'WIRE-1'],
  'wire-was-created-long-ago': ['wire.created', 'WIRE-1'],
  'wire-names-no-model': ['wire.model', 'WIRE-1'],
  'derived-completion-choices-wrong-type-always': ['wire.choices', 'WIRE-1', 'WIRE-12', 'WIRE-6'],
  'derived-completion-choices-index-off-by-one-always': ['wire.choice-index', 'WIRE-2'],
  'wire-counts-no-choices': ['wire.choice-indexes', 'WIRE-2'],
  'wire-miscounts-from-the-third': ['wire.choice-indexes', 'WIRE-2'],
  'wire-has-no-role': ['wire.role', 'WIRE-2'],
  'wire-finishes-with-eos': ['wire.finish-reason', 'WIRE-2', 'WIRE-8'],
  'derived-completion-choices-finish-reason-null-always': [
    'wire.finish-reason',
    'WIRE-2',
    'WIRE-7',
    'WIRE-8',
  ],
  'wire-gives-a-list-for-logprobs': ['wire.logprobs', 'WIRE-12', 'WIRE-2'],
  'wire-adds-wrongly': ['wire.usage-counts', 'WIRE-3'],
  'wire-miscounts-several-choices': ['wire.usage-choices', 'WIRE-3'],
  'derived-completion-usage-completion-tokens-dropped-always': ['wire.usage-counts', 'WIRE-3'],
  'wire-counts-nothing': ['wire.usage-counts', 'WIRE-3'],
  'wire-counts-one-choice': ['wire.usage-choices', 'WIRE-3'],
  'wire-streams-without-a-count': ['wire.usage-counts-streamed', 'WIRE-3'],
  'wire-counts-in-text': ['wire.usage-counts', 'WIRE-3'],
  'wire-repeats-ids': ['wire.ids-differ', 'WIRE-4'],
  'derived-chunk-id-null-always': ['wire.stream-ids-differ', 'WIRE-4'],
  'wire-sends-completions-as-text': ['wire.content-type', 'WIRE-5'],
  'wire-sends-errors-as-text': ['wire.every-content-type', 'WIRE-5'],
  'wire-ignores-n': ['wire.n-2', 'WIRE-12', 'WIRE-6'],
  'wire-gives-a-choice-more': ['wire.n-3', 'WIRE-6'],
  'wire-refuses-choices-at-temperature-0': ['wire.n-at-temperature-0', 'WIRE-6'],
  'wire-loses-the-last-choice': ['wire.n-3', 'WIRE-12', 'WIRE-6'],
  'wire-ignores-token-limits': ['wire.max-tokens-bound', 'WIRE-12', 'WIRE-7'],
  'derived-request-max-completion-tokens-ignored-plain': [
    'wire.max-completion-tokens-not-ignored',
    'WIRE-12',
    'WIRE-7',
  ],
  'wire-answers-briefly-past-limits': ['wire.max-completion-tokens-not-ignored', 'WIRE-12', 'WIRE-7'],
  'wire-gives-a-token-more': ['wire.max-tokens-bound', 'WIRE-7'],
  'wire-hides-cuts': ['wire.max-tokens-length', 'WIRE-7'],
  'wire-ignores-stop': ['wire.stop-word', 'WIRE-8'],
  'derived-request-stop-ignored-plain': ['wire.stop-not-ignored', 'WIRE-12', 'WIRE-8'],
  'wire-returns-stop-strings': ['wire.stop-word', 'WIRE-8'],
  'wire-ignores-stop-lists': ['wire.stop-four', 'WIRE-8'],
  'wire-reads-stop-as-pattern': ['wire.stop-pattern', 'WIRE-8'],
  'wire-trims-stopped-text': ['wire.stop-word', 'WIRE-8'],
  'wire-calls-stops-cuts': ['wire.stop-finish-reason', 'WIRE-8'],
  'wire-ignores-response-format': ['wire.json-object-not-ignored', 'WIRE-12'],
  'wire-calls-formats-cut': ['wire.json-object-not-ignored', 'WIRE-12'],
  'derived-request-response-format-ignored-plain': ['wire.json-schema-not-ignored', 'WIRE-12'],
  'wire-ignores-tools': ['wire.tools-not-ignored', 'WIRE-12'],
  'wire-ignores-functions': ['wire.functions-not-ignored', 'WIRE-12'],
  'wire-ignores-logprobs': ['wire.logprobs-not-ignored', 'WIRE-12'],
  'stream-ignores-its-options': ['wire.stream-options-not-ignored', 'WIRE-12'],
  'wire-ignores-media': ['wire.image-part-not-ignored', 'WIRE-12'],
  'wire-refuses-tools-without-naming-them': ['wire.tools-not-ignored', 'WIRE-12'],
  'wire-refuses-logprobs-with-501': ['wire.logprobs-not-ignored', 'WIRE-12'],
  'derived-request-n-null-refused-plain': ['wire.null-n', 'WIRE-13'],
  'wire-takes-null-for-one': ['wire.null-max-tokens', 'WIRE-13'],
  'wire-streams-for-null': ['wire.null-stream', 'WIRE-13'],
  'wire-fails-on-null-biases': ['wire.null-logit-bias', 'WIRE-13'],
  'wire-varies-seeded-text': ['wire.same-seed', 'WIRE-14'],
  'derived-completion-usage-dropped-always': ['wire.usage-present', 'WIRE-22'],
  'wire-ignores-unknown-fields': ['wire.unknown-field', 'WIRE-23'],
  'wire-refuses-unknown-fields-without-naming-them': ['wire.unknown-field', 'WIRE-23'],
  'wire-reports-no-tier': ['wire.service-tier-reported', 'WIRE-25'],
  'wire-ignores-schemas': ['wire.json-schema-not-ignored', 'WIRE-12'],
})

testChecks(
  { cases: [...fieldCases, ...nullCases] },
  {
    'wire-reports-no-tier': ['wire.service-tier-reported', 'wire.service-tier-reported-streamed'],
    'derived-request-stop-null-refused-streamed': ['wire.nulls-streamed'],
    'derived-completion-choices-message-content-empty-second': ['wire.text-of-each-choice'],
  },
)

testOddities(section, {
  'odd-bare-answers': /^wire\.usage-(counts|cut|choices|calls)$/,
  'odd-openai-dated-model': /^$/,
  'odd-null-for-nothing': /^$/,
  'odd-refusals':
    /^wire\.(n-.*|choice-indexes|stop-.*|max-tokens-.*|null-(n|stop|stream-options|max-tokens)|usage-.*)$/,
  'odd-bounds': /^wire\.(n-.*|choice-indexes|usage-choices.*)$/,
  'odd-refuses-sampling':
    /^wire\.(same-seed|n-at-temperature-0|max-completion-tokens-.*|null-(seed|temperature|max-.*))$/,
})

it('judges what two choices show at a service that refuses more by name', async () => {
  const two: Start = () =>
    sendError((_, call) => asNumber(bodyOfCall(call)?.['n']) > 2, 400, {
      message: "Field 'n' must be between 1 and 2.",
      code: 'no',
    })
  expect(notPassed(await judgeFault(two, [...completionCases, ...fieldCases]))).toEqual([
    expect.stringMatching(/^wire\.choice-indexes: not-applicable/),
    expect.stringMatching(/^wire\.n-3: not-applicable/),
    expect.stringMatching(/^wire\.text-of-each-choice: not-applicable/),
  ])
})

it('concludes nothing from an answer that was cut', async () => {
  const cut: Start = () => (call, forward) =>
    (bodyOfCall(call)?.['response_format'] ?? null) === null
      ? forward(call)
      : chain(
          editFinishReason(() => 'length'),
          editReplies((message) => ({ ...message, content: '{"touch' })),
          editChunkChoices((choice, delta) => ({
            ...choice,
            delta: { ...delta, content: typeof choice['finish_reason'] === 'string' ? '{"touch' : '' },
          })),
        )(call, forward)
  expect(notPassed(await judgeFault(cut, unsupportedCases))).toEqual([
    expect.stringMatching(/^wire\.json-object-not-ignored: inconclusive/),
    expect.stringMatching(/^wire\.json-object-not-ignored-streamed: inconclusive/),
    expect.stringMatching(/^wire\.json-schema-not-ignored: inconclusive/),
    expect.stringMatching(/^wire\.json-schema-not-ignored-streamed: inconclusive/),
  ])
})
