// Tool calls: which faults the cases find, and what they leave alone.
import { expect, it } from 'vitest'
import { bodyOfCall, isChat } from '../../../../../fixtures/faulty/calls.ts'
import { refuseFields, sendError, serverError } from '../../../../../fixtures/faulty/error-edits.ts'
import { editFunction } from '../../../../../fixtures/faulty/edits.ts'
import { asList } from '../../../../../fixtures/faulty/json.ts'
import { editCalls, editFinishReason } from '../../../../../fixtures/faulty/stream-edits.ts'
import { failed, judgeFault, outcomeOf, outcomesOf, redRows } from '../scripted/judge-fault.fixture.ts'
import type { Start } from '../scripted/start-service.fixture.ts'
import { testFaults, testOddities } from '../scripted/test-faults.fixture.ts'
import { cases, observers } from './tools.ts'

const section = { cases, observers }

testFaults(section, {
  'derived-completion-choices-message-tool-calls-id-dropped-always': ['tools.ids', 'TOOL-1'],
  'derived-chunk-choices-delta-tool-calls-id-dropped-always': ['tools.ids-streamed', 'TOOL-1', 'TOOL-5'],
  'derived-completion-choices-message-tool-calls-id-empty-always': ['tools.ids', 'TOOL-1'],
  'tools-repeats-call-ids': ['tools.ids-streamed', 'TOOL-1'],
  'tools-leaves-types-out': ['tools.types', 'TOOL-1'],
  'derived-chunk-choices-delta-tool-calls-type-dropped-always': ['tools.types-streamed', 'TOOL-1', 'TOOL-5'],
  'tools-calls-unoffered-functions': ['tools.names', 'TOOL-1', 'TOOL-3'],
  'tools-gives-arguments-as-objects': ['tools.arguments-text', 'TOOL-1'],
  'tools-cuts-arguments': ['tools.strict-arguments-json', 'TOOL-1', 'TOOL-5'],
  'tools-gives-empty-arguments': ['tools.strict-no-parameters', 'TOOL-1'],
  'tools-streams-no-arguments': ['tools.strict-no-parameters-streamed', 'TOOL-1'],
  'tools-encodes-arguments-twice': ['tools.strict-arguments-json', 'TOOL-1', 'TOOL-4'],
  'tools-gives-arguments-as-lists': ['tools.strict-arguments-json', 'TOOL-1', 'TOOL-4', 'TOOL-5'],
  'tools-streams-bare-numbers': ['tools.strict-no-parameters-streamed', 'TOOL-1', 'TOOL-4', 'TOOL-5'],
  'tools-leaves-content-out': ['tools.content', 'TOOL-2'],
  'tools-gives-content-as-list': ['tools.content', 'TOOL-2', 'TOOL-6'],
  'tools-finishes-with-stop': ['tools.finish-reason-auto', 'TOOL-2'],
  'derived-completion-choices-finish-reason-unknown-tools': ['tools.finish-reason', 'TOOL-2'],
  'derived-chunk-choices-finish-reason-unknown-tools': ['tools.finish-reason-named-streamed', 'TOOL-2'],
  'tools-ignores-allowed-tools': ['tools.allowed', 'TOOL-3'],
  'tools-requires-nothing': ['tools.required', 'TOOL-3'],
  'derived-request-tool-choice-ignored-plain': ['tools.named', 'TOOL-3'],
  'tools-calls-another-function': ['tools.named-streamed', 'TOOL-3'],
  'tools-calls-unasked': ['tools.none', 'TOOL-3'],
  'tools-ignores-strict': ['tools.strict-flat', 'TOOL-4'],
  'tools-leaves-strict-members-out': ['tools.strict-flat', 'TOOL-4'],
  'tools-adds-strict-members': ['tools.strict-nested', 'TOOL-4'],
  'tools-fails-for-references': ['tools.strict-references', 'TOOL-4'],
  'tools-ignores-references': ['tools.strict-recursive-streamed', 'TOOL-4'],
  'tools-ignores-enumerations': ['tools.strict-choices', 'TOOL-4'],
  'tools-repeats-names': ['tools.fragments', 'TOOL-5'],
  'tools-counts-from-one': ['tools.fragments', 'TOOL-5'],
  'tools-streams-no-index': ['tools.fragments', 'TOOL-5'],
  'tools-trims-fragments': ['tools.same-calls', 'TOOL-5'],
  'tools-refuses-results': ['tools.round-trip', 'TOOL-6'],
  'tools-refuses-several-results': ['tools.round-trip-several', 'TOOL-6'],
  'tools-says-nothing-after-results': ['tools.round-trip', 'TOOL-6'],
  'tools-calls-in-parallel': ['tools.one-call', 'TOOL-7'],
})

testOddities(section, {
  'odd-simulator-random-arguments': /^tools\.same-calls$/,
  'odd-simulator-refuses-type-lists': /^tools\.strict-(list|recursive|choices)/,
})

it('warns about arguments that are not JSON where strict is not set', async () => {
  const cut = editFunction((described) => ({
    ...described,
    arguments: described['name'] === undefined ? '' : '{"word":',
  }))
  const loose: Start = () => (call, forward) =>
    JSON.stringify(bodyOfCall(call)?.['tools'] ?? '').includes('"strict":true')
      ? forward(call)
      : editCalls(cut)(call, forward)
  // Warnings fail here, as under `--strict`; the level of the check says that it is one.
  const verdicts = await judgeFault(loose, cases)
  expect(failed(verdicts)).toEqual([
    'tools.arguments-json',
    'tools.arguments-json-streamed',
    'tools.no-parameters',
    'tools.no-parameters-streamed',
  ])
  expect(cases.filter(({ level }) => level === 'SHOULD').map(({ id }) => id)).toEqual(failed(verdicts))
})

it('judges a service that refuses tools by name in profile service alone', async () => {
  const refusing: Start = () => refuseFields(['tools'])
  const wire = await judgeFault(refusing, cases, { profile: 'wire' })
  expect(outcomesOf(wire)).toEqual(['not-applicable'])
  expect(redRows(await judgeFault(refusing, cases))).toContain('TOOL-3')
})

it.each([
  ["the schema's place", 'tools[0].function.parameters'],
  ['the tool', 'order'],
])('does not blame a schema that is refused by name, as %s', async (_, named) => {
  const refusing: Start = () =>
    sendError((_, call) => /"type":\["string","null"\]/.test(Buffer.from(call.body).toString()), 400, {
      message: `Cannot read '${named}'.`,
      code: 'unsupported',
    })
  const verdicts = await judgeFault(refusing, cases)
  expect(failed(verdicts)).toEqual([])
  expect(outcomeOf(verdicts, 'tools.strict-list')).toBe('not-applicable')
})

it('does not judge a cut answer', async () => {
  const cut: Start = () => editFinishReason((reason) => (reason === 'tool_calls' ? 'length' : reason))
  expect(failed(await judgeFault(cut, cases))).toEqual([])
})

it('blames a service that fails for every request with tools for that, and not for the form of its calls', async () => {
  const failing: Start = () =>
    sendError(
      (_, call) => isChat(call) && asList(bodyOfCall(call)?.['tools']).length > 0,
      500,
      serverError('It broke.', 'server_error'),
    )
  const verdicts = await judgeFault(failing, cases)
  expect(redRows(verdicts)).toContain('TOOL-3')
  for (const id of ['tools.finish-reason-auto', 'tools.finish-reason-auto-streamed', 'tools.fragments'])
    expect([id, outcomeOf(verdicts, id)]).toEqual([id, 'inconclusive'])
})

it('does not blame the calls of a service that streams nothing', async () => {
  const unstreamed: Start = () =>
    sendError(
      (_, call) => isChat(call) && bodyOfCall(call)?.['stream'] === true,
      501,
      serverError('There are no streams.', 'not_implemented'),
    )
  const verdicts = await judgeFault(unstreamed, cases)
  expect(failed(verdicts)).toEqual([])
  for (const id of ['tools.ids-streamed', 'tools.required-streamed', 'tools.strict-flat-streamed'])
    expect([id, outcomeOf(verdicts, id)]).toEqual([id, 'inconclusive'])
})
