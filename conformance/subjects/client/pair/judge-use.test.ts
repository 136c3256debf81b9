// A limit of the model is not a fault of a side: a text that is too long, and an answer that ends at the limit of tokens.
import { expect, test } from 'vitest'
import type { RecordedExchange } from '../../../exchanges/recorded-exchange.ts'
import { judgeUse } from './try-uses.ts'
import type { UseId } from './use-list.ts'
import { uses } from './uses.ts'

type Answer = readonly [status: number, body: unknown]

function exchangeOf(asked: object, [status, body]: Answer): RecordedExchange {
  const answer = Buffer.from(JSON.stringify(body))
  return {
    startedAtMs: 0,
    request: {
      method: 'POST',
      url: 'http://127.0.0.1/v1/chat/completions',
      path: '/v1/chat/completions',
      headers: [['content-type', 'application/json']],
      body: Buffer.from(JSON.stringify(asked)),
    },
    response: {
      status,
      headers: [['content-type', 'application/json']],
      body: answer,
      chunks: [{ atMs: 1, size: answer.length }],
      end: 'complete',
    },
    timings: { firstByteMs: 1, totalMs: 1 },
  }
}

/** The verdict on a use whose requests got these answers, of a program that failed. */
const judge = (id: UseId, ...answers: readonly Answer[]) => judgeEnd(id, { exitCode: 1, stdout: '' }, answers)

function judgeEnd(
  id: UseId,
  { exitCode, stdout }: { readonly exitCode: number; readonly stdout: string },
  answers: readonly Answer[],
) {
  const use = uses.find(({ name }) => name === id)
  if (use === undefined) throw new Error(`there is no use ${id}`)
  const asked = { model: 'tiny', ...use.requested.body('some words') }
  const exchanges = answers.map((answer) => exchangeOf(asked, answer))
  const end = { exitCode, signal: null, isOverdue: false, stdout, stderr: '' }
  const pair = { server: { baseUrl: 'http://127.0.0.1' }, judgeExchanges: () => [] }
  const { result, row } = judgeUse(use, { asked, end, exchanges, isScripted: false }, pair)
  return { outcome: result.outcome, side: result.attribution, row }
}

const refusal = (message: string) => ({ error: { message, type: 'invalid_request_error' } })

const completion = (message: unknown, finish: string) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'tiny',
  choices: [{ index: 0, message, finish_reason: finish }],
})

test('a long text was not tried if the server names the context of its model', () => {
  const context = refusal("This model's maximum context length is 2048 tokens.")
  expect(judge('long-text', [400, context])).toMatchObject({ outcome: 'inconclusive' })
  expect(judge('long-text', [400, refusal('No.')])).toMatchObject({ outcome: 'fail', side: 'server' })
  expect(judge('plain', [400, context])).toMatchObject({ outcome: 'fail', side: 'server' })
})

test('structured output and a call were not tried if the answer ends at the limit of tokens', () => {
  const object = { role: 'assistant', content: '{"city":"Ba' }
  const call = {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{"key' } }],
  }
  expect(judge('structured-strict', [200, completion(object, 'length')])).toMatchObject({
    outcome: 'inconclusive',
  })
  expect(judge('call', [200, completion(call, 'length')])).toMatchObject({ outcome: 'inconclusive' })
  expect(judge('call', [200, completion(call, 'tool_calls')])).toMatchObject({
    outcome: 'fail',
    side: 'server',
    row: 'TOOL-1',
  })
})

test('a conversation was not tried if the model made no call, whatever the next turn gets', () => {
  const text = completion({ role: 'assistant', content: 'Good morning.' }, 'length')
  const context = refusal('the request exceeds the available context size')
  expect(judge('conversation', [200, text], [400, context])).toMatchObject({ outcome: 'inconclusive' })
  expect(judge('conversation', [400, context])).toMatchObject({ outcome: 'fail', side: 'server' })
})

test('plain text is the text of the answer, and shows neither calls nor usage', () => {
  const text: Answer = [200, completion({ role: 'assistant', content: ' Good morning. ' }, 'stop')]
  const printed = (id: UseId, stdout: string, answer: Answer) =>
    judgeEnd(id, { exitCode: 0, stdout }, [answer])
  expect(printed('plain', 'Good morning.\n', text)).toMatchObject({ outcome: 'pass' })
  expect(printed('plain', 'the answer: Good morning.\n', text)).toMatchObject({ outcome: 'pass' })
  expect(printed('plain', 'Good morning\n', text)).toMatchObject({
    outcome: 'fail',
    side: 'client',
    row: 'READ-13',
  })
  expect(printed('plain', '\n', text)).toMatchObject({ outcome: 'fail', side: 'client' })
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: 'look_up', arguments: '{"key":"plover"}' },
  }
  const called: Answer = [
    200,
    completion({ role: 'assistant', content: 'I look.', tool_calls: [call] }, 'tool_calls'),
  ]
  expect(printed('call', 'I look.\n', called)).toMatchObject({ outcome: 'inconclusive' })
})
