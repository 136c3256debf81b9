// The client library and its helpers: which faults the cases find, and what they leave alone.
import { expect, it } from 'vitest'
import type { Handler } from '../../../../../fixtures/faulty/behaviour.ts'
import { bodyOfCall, isChat } from '../../../../../fixtures/faulty/calls.ts'
import { invalidRequest, refuseFields, sendError } from '../../../../../fixtures/faulty/error-edits.ts'
import {
  editAnswer,
  editCompletion,
  editRequest,
  mapChoices,
  mapMessages,
} from '../../../../../fixtures/faulty/edits.ts'
import { header } from '../../../../../fixtures/faulty/call-and-answer.ts'
import { type JsonObject, without } from '../../../../../fixtures/faulty/json-types.ts'
import { failed, judgeFault, notPassed } from '../scripted/judge-fault.fixture.ts'
import { cases as helperCases } from './helpers.ts'
import { cases as libraryCases } from './sdk.ts'

const LIMIT = helperCases.filter(({ id }) => id === 'sdk.rate-limit-error')

/** Cuts the text of completions. */
const cut = (applies: (body: JsonObject) => boolean): Handler =>
  editCompletion((body, call) =>
    applies(bodyOfCall(call) ?? {})
      ? mapChoices(
          mapMessages(body, (message) => ({ ...without(message, 'tool_calls'), content: '{"name":"fl' })),
          (choice) => ({ ...choice, finish_reason: 'length' }),
        )
      : body,
  )

async function outcomes(start: () => Handler): Promise<readonly string[]> {
  return (await judgeFault(start, helperCases.slice(0, 3))).map(({ outcome }) => outcome)
}

it('does not judge an answer that was cut', async () => {
  const [format] = await outcomes(() => cut((body) => body['response_format'] !== undefined))
  expect(format).toBe('inconclusive')
})

it('judges the next answer where the first one was cut', async () => {
  const seen = new Set<string>()
  const verdicts = await outcomes(() => (call, forward) => {
    const { response_format: format, tool_choice: choice } = bodyOfCall(call) ?? {}
    const kind = JSON.stringify([format, choice])
    // The judge itself asks first whether the service has such a field.
    const isFirst =
      isChat(call) && header(call, 'user-agent')?.startsWith('OpenAI') === true && !seen.has(kind)
    if (isFirst) seen.add(kind)
    return isFirst ? cut(() => true)(call, forward) : forward(call)
  })
  expect(verdicts).toEqual(['pass', 'pass', 'pass'])
  expect(seen.size).toBe(3)
})

it('does not judge a model that calls functions without end', async () => {
  const [, , run] = await judgeFault('odd-calls-again', helperCases)
  expect(run).toMatchObject({ id: 'sdk.run-tools', outcome: 'not-applicable' })
})

it('does not require a call that is not forced', async () => {
  const verdicts = await outcomes(() =>
    editRequest((body) => {
      const isForced = typeof body['tool_choice'] === 'object'
      return isForced ? undefined : without(body, 'tools', 'tool_choice')
    }),
  )
  expect(verdicts).toEqual(['pass', 'pass', 'not-applicable'])
})

it('does not require schemas that are refused by name', async () => {
  expect((await outcomes(() => refuseFields(['response_format'])))[0]).toBe('not-applicable')
})

it('leaves another status of a refusal to other rows', async () => {
  const refusal = invalidRequest('no', 'No.')
  const verdicts = await judgeFault(
    () => sendError((answer, call) => answer.status === 404 && isChat(call), 400, refusal),
    libraryCases,
  )
  expect(notPassed(verdicts)).toEqual([
    expect.stringMatching(/^sdk\.not-found-error: not-applicable/),
    expect.stringMatching(/^sdk\.error-members: not-applicable/),
    expect.stringMatching(/^sdk\.error-message: not-applicable/),
  ])
})

it('leaves another status over the limit to other rows', async () => {
  const forbidden = editAnswer(
    ({ status }) => status === 429,
    (answer) => ({ ...answer, status: 403 }),
  )
  expect(await judgeFault(() => forbidden, LIMIT)).toMatchObject([{ outcome: 'not-applicable' }])
})

it('compares the prompt tokens of answers from a model that does not echo', async () => {
  const many = libraryCases.filter(({ id }) => id === 'sdk.many-calls')
  const target = { echoes: async () => false }
  expect(failed(await judgeFault('sdk-swaps-answers', many, { target }))).toEqual(['sdk.many-calls'])
  expect(notPassed(await judgeFault(() => (call, forward) => forward(call), many, { target }))).toEqual([])
})
