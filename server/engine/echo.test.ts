import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chatCompletionRequest } from '../../spec/request.ts'
import { foldCompletion } from '../completion.ts'
import { createEchoEngine, ECHO_MODEL } from './echo.ts'
import type { Delta } from './engine.ts'

const engine = createEchoEngine(0)
const head = { id: 'chatcmpl-1', created: 0, model: ECHO_MODEL }

type Fields = Readonly<Record<string, unknown>>

function generate(text: string, fields: Fields = {}, signal = new AbortController().signal) {
  const body = { model: ECHO_MODEL, messages: [{ role: 'user', content: text }], ...fields }
  return engine.generate(chatCompletionRequest.parse(body), { signal, requestId: 'req_1' })
}

async function answer(text: string, fields: Fields = {}) {
  const completion = await foldCompletion(
    generate(text, fields),
    head,
    typeof fields['n'] === 'number' ? fields['n'] : 1,
  )
  const [choice] = completion.choices
  return { text: choice?.message.content, reason: choice?.finish_reason, usage: completion.usage, completion }
}

/** Any string at all, lone surrogates among them. */
const anyText = fc.string({ unit: 'binary', maxLength: 200 })

test('any text comes back unchanged, and costs one token per code point', async () => {
  await fc.assert(
    fc.asyncProperty(anyText, async (text) => {
      const { text: echoed, reason, usage } = await answer(text)
      const tokens = Array.from(text).length
      expect(echoed).toBe(text)
      expect(reason).toBe('stop')
      expect(usage).toEqual({ prompt_tokens: tokens, completion_tokens: tokens, total_tokens: 2 * tokens })
    }),
  )
})

test('no delta splits a character', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
      for await (const delta of generate(text)) {
        if (delta.type === 'text') expect(delta.text.isWellFormed()).toBe(true)
      }
    }),
  )
})

test('a token limit gives exactly the first tokens, and tells whether something was cut', async () => {
  await fc.assert(
    fc.asyncProperty(anyText, fc.integer({ min: 1, max: 250 }), async (text, limit) => {
      const tokens = Array.from(text)
      const { text: echoed, reason } = await answer(text, { max_tokens: limit })
      expect(echoed).toBe(tokens.slice(0, limit).join(''))
      expect(reason).toBe(tokens.length > limit ? 'length' : 'stop')
    }),
  )
})

test('a stop string ends the text before it, wherever it falls', async () => {
  const plain = fc.string({ unit: fc.constantFrom('a', 'b', '😀'), maxLength: 40 })
  await fc.assert(
    fc.asyncProperty(
      plain,
      fc.string({ unit: fc.constantFrom('a', 'b', '😀'), minLength: 1, maxLength: 4 }),
      async (text, stop) => {
        const { text: echoed, reason } = await answer(text, { stop })
        expect(echoed).toBe(text.split(stop)[0])
        expect(reason).toBe('stop')
      },
    ),
  )
})

test('the stop string that is complete first counts, but only within the token limit', async () => {
  expect(await answer('one two three', { stop: ['three', 'tw'] })).toMatchObject({
    text: 'one ',
    reason: 'stop',
  })
  expect(await answer('one two three', { stop: ['two'], max_tokens: 6 })).toMatchObject({
    text: 'one tw',
    reason: 'length',
  })
  expect(await answer('one two three', { stop: ['two'], max_tokens: 7 })).toMatchObject({
    text: 'one ',
    reason: 'stop',
  })
})

test('the smaller of both token limits holds', async () => {
  expect(await answer('abcdef', { max_tokens: 3, max_completion_tokens: 2 })).toMatchObject({
    text: 'ab',
    reason: 'length',
  })
})

test('the last user message answers, its text parts joined, whatever follows it', async () => {
  const messages = [
    { role: 'system', content: 'be brief' },
    { role: 'user', content: 'first' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'se' },
        { type: 'text', text: 'cond' },
      ],
    },
    { role: 'assistant', content: 'so far' },
  ]
  const { text, usage } = await answer('', { messages })
  expect(text).toBe('second')
  expect(usage?.prompt_tokens).toBe('be brieffirstsecondso far'.length)
})

test('choices interleave, and all of them finish before the usage', async () => {
  const deltas: Delta[] = []
  for await (const delta of generate('0123456789', { n: 3 })) deltas.push(delta)
  expect(deltas.filter((delta) => delta.type !== 'usage').map((delta) => delta.index)).toEqual([
    0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2,
  ])
  expect(deltas.at(-1)).toMatchObject({ type: 'usage', usage: { completion_tokens: 30 } })
})

test('an abort ends the work', async () => {
  const controller = new AbortController()
  const deltas = generate('x'.repeat(1000), {}, controller.signal)[Symbol.asyncIterator]()
  await deltas.next()
  controller.abort()
  await expect(deltas.next()).rejects.toThrow('aborted')
})

test.each([
  [{ tools: [{ type: 'function', function: { name: 'f' } }] }, 'tools'],
  [{ response_format: { type: 'json_object' } }, 'response_format'],
  [{ logprobs: true }, 'logprobs'],
  [{ logit_bias: { 97: -100 } }, 'logit_bias'],
  [
    {
      messages: [
        { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }] },
      ],
    },
    'messages[0].content[0]',
  ],
])('what it does not support is refused by name: %j', (fields, param) => {
  expect(() => generate('hi', fields)).toThrow(expect.objectContaining({ status: 400, param }))
})

test.each([
  { logprobs: false },
  { tools: undefined },
  { logit_bias: null },
  { response_format: { type: 'text' } },
  { store: false },
])('a default that is spelled out is no request for the feature: %j', async (fields) => {
  expect((await answer('hi', fields)).text).toBe('hi')
})
