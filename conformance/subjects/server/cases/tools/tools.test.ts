// Tool calls: which faults the cases find, and what they leave alone.
import { expect, it } from 'vitest'
import { bodyOfCall, isChat } from '../../../../../fixtures/faulty/calls.ts'
import { refuseFields, sendError, serverError } from '../../../../../fixtures/faulty/error-edits.ts'
import { editFunction } from '../../../../../fixtures/faulty/edits.ts'
import { asList } from '../../../../../fixtures/faulty/json-types.ts'
import { editCalls, editFinishReason } from '../../../../../fixtures/faulty/stream-edits.ts'
import { failed, judgeFault, outcomeOf, outcomesOf, redRows } from '../scripted/judge-fault.fixture.ts'
import type { Start } from '../scripted/start-service.fixture.ts'
import { cases } from './tools.ts'

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
