// The difference of two streams that a failure names.
import { expect, test } from 'vitest'
import { madeExchange } from '../../../../harness/exchange.fixture.ts'
import { streamDifference } from './stream-difference.ts'

const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }

function streamOf(delta: object, reason: string) {
  const chunks = [{ delta }, { delta: {}, finish_reason: reason }]
  const events = chunks.map((choice) => JSON.stringify({ choices: [{ index: 0, ...choice }] }))
  return madeExchange({ body: [...events, '[DONE]'].map((data) => `data: ${data}\n\n`).join('') })
}

test('lost calls are named before the finish reason that changed with them', () => {
  const sent = streamOf({ tool_calls: [call] }, 'tool_calls')
  expect(streamDifference(sent, streamOf({}, 'stop'))?.path).toEqual(['choices', '0', 'tool_calls', 0])
})

test('an id that comes again in a later fragment is a difference, since readers join ids (GATE-3)', () => {
  const streamOfFragments = (...fragments: readonly object[]) =>
    madeExchange({
      body: fragments
        .map(
          (one) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [one] } }] })}\n\n`,
        )
        .join(''),
    })
  const rest = { index: 0, function: { arguments: '{}' } }
  const sent = streamOfFragments(call, rest)
  expect(streamDifference(sent, streamOfFragments(call, { ...rest, id: null }))).toBeUndefined()
  for (const id of ['call_1', ''])
    expect(streamDifference(sent, streamOfFragments(call, { ...rest, id }))?.path).toContain('fragment_ids')
})

test('a changed finish reason is named if the calls arrived', () => {
  const sent = streamOf({ tool_calls: [call] }, 'tool_calls')
  expect(streamDifference(sent, streamOf({ tool_calls: [call] }, 'stop'))).toEqual({
    path: ['choices', '0', 'finish_reasons', 0],
    sent: 'tool_calls',
    arrived: 'stop',
  })
})
