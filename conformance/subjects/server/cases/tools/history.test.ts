// A message is sent back as it came, plain or joined from a stream (TOOL-6, WIRE-24).
import { expect, test } from 'vitest'
import { encodeRecord } from '../../../../../spec/protocol/sse.ts'
import { madeExchange } from '../../../../../harness/exchange.fixture.ts'
import { ownNames, replayedMessage } from './history.ts'

const call = (text: string) => ({
  id: 'call_1',
  type: 'function',
  function: { name: 'look_up', arguments: text },
  extra_content: { signature: 'c3Q=' },
})

const whole = {
  role: 'assistant',
  content: null,
  reasoning_content: 'I look it up.',
  details: [1, 2],
  tool_calls: [call('{"word":"stone"}')],
}

const deltas = [
  { role: 'assistant', content: null, refusal: null },
  { reasoning_content: 'I look ', details: [1] },
  { reasoning_content: 'it up.', details: [2] },
  { tool_calls: [{ index: 0, ...call('') }] },
  { tool_calls: [{ index: 0, type: 'function', function: { arguments: '{"word":' } }] },
  { tool_calls: [{ index: 0, id: null, function: { name: null, arguments: '"stone"}' } }] },
]

function streamed(parts: readonly object[]) {
  const records = parts.map((delta) => encodeRecord(JSON.stringify({ choices: [{ index: 0, delta }] })))
  return madeExchange({ headers: [['content-type', 'text/event-stream']], body: records.join('') })
}

const plain = (message: object) => madeExchange({ body: JSON.stringify({ choices: [{ message }] }) })

test('a streamed message is the plain one, with the members that the format does not know', () => {
  expect(replayedMessage(plain(whole))).toEqual(whole)
  expect(replayedMessage(streamed(deltas))).toEqual(whole)
  expect(ownNames(whole)).toEqual(['reasoning_content', 'details', 'extra_content'])
})

test('arguments that are not JSON are sent back as an empty object', () => {
  const cut = { ...whole, tool_calls: [call('{"word":')] }
  expect(replayedMessage(plain(cut))).toEqual({ ...whole, tool_calls: [call('{}')] })
})
