// Chat: which faults the cases and observers find, and what they leave alone.
import { expect, it } from 'vitest'
import type { Handler } from '../../../../../fixtures/faulty/behaviour.ts'
import { wantsStream } from '../../../../../fixtures/faulty/calls.ts'
import { invalidRequest, refuseChats } from '../../../../../fixtures/faulty/error-edits.ts'
import { editCompletionChoices, withText } from '../../../../../fixtures/faulty/edits.ts'
import { asObject, asText } from '../../../../../fixtures/faulty/json-types.ts'
import { failed, judgeFault, redRows } from '../scripted/judge-fault.fixture.ts'
import { cases, observers } from './chat.ts'
import { splitCases } from './split-characters.ts'

it('blames a service that refuses every valid request for that', async () => {
  const verdicts = await judgeFault(
    () => refuseChats((_, call) => !wantsStream(call), invalidRequest('no', 'No.')),
    cases.filter(({ requirement }) => requirement !== 'CHAT-9'),
    { observers },
  )
  expect(redRows(verdicts)).toEqual(['CHAT-1', 'CHAT-2'])
  expect(failed(verdicts)).toContain('chat.valid-request')
})

it.each([
  ['a model that echoes', {}],
  ['a model that does not', { echoes: async () => false }],
])('finds a service that decodes each packet of a body alone, with %s', async (_, target) => {
  expect(failed(await judgeFault('chat-decodes-each-packet', splitCases, { target }))).toEqual([
    'chat.split-characters',
  ])
  const asIs: Handler = (call, forward) => forward(call)
  expect(failed(await judgeFault(() => asIs, splitCases, { target }))).toEqual([])
})

it.each([
  ['length', []],
  ['stop', ['chat.echo-64-kib']],
])('judges a long text that is cut with the finish reason %j', async (finish_reason, due) => {
  const cutting = editCompletionChoices((choice) => {
    const message = asObject(choice['message'])
    const isLong = asText(message['content']).length > 3_000
    const cut = { ...choice, finish_reason, message: withText(message, (text) => text.slice(0, 3_000)) }
    return isLong ? cut : choice
  })
  const longText = cases.filter(({ id }) => id === 'chat.echo-64-kib')
  expect(failed(await judgeFault(() => cutting, longText))).toEqual(due)
})
