// The differences between the two sides of a gateway that are allowed, and those that are not.
import { expect, test } from 'vitest'
import { fc, forAll } from '../../../../spec/property.fixture.ts'
import { answerDifference, usageDifference } from './answers.ts'
import { differenceOf, showPath } from './difference.ts'
import { answerNames, requestNames, vendorDifference } from './known-names.ts'
import { requestDifference } from './requests.ts'

const strict = { mayAdd: () => false, mayDrop: () => false, mayChange: () => false }

test('a value equals its copy, and differs from it if one leaf is changed', () => {
  forAll(fc.jsonValue({ maxDepth: 4 }), (value) => {
    const copy = JSON.parse(JSON.stringify(value))
    // JSON has no negative zero, and equal numbers are equal.
    expect(differenceOf(JSON.parse(JSON.stringify(value)), copy, strict)).toBeUndefined()
    expect(differenceOf({ value }, { value: [value] }, strict)).toBeDefined()
  })
})

test.each([
  [{ a: [1, { b: 'x' }] }, { a: [1, { b: 'y' }] }, 'a[1].b'],
  [{ a: [1, 2] }, { a: [2, 1] }, 'a[0]'],
  [{ a: [1] }, { a: [1, 2] }, 'a[1]'],
  [{ a: 1 }, {}, 'a'],
  [{}, { a: 1 }, 'a'],
  [{ a: 1 }, { a: '1' }, 'a'],
  [{ a: null }, { a: 0 }, 'a'],
  [{ a: 0.1 }, { a: 0.10000000149011612 }, 'a'],
  [{}, [], 'the body'],
])('%j and %j differ at %s', (sent, arrived, place) => {
  expect(showPath(differenceOf(sent, arrived, strict)?.path ?? ['nothing'])).toBe(place)
})

const request = { model: 'm', messages: [{ role: 'user', content: 'x' }], stream: true }

test.each([
  ['another name of the model', { ...request, model: 'other' }],
  ['an unknown member', { ...request, x_tenant: 1 }],
  ['a `null` that was absent', { ...request, tools: null }],
  ['the usage, requested', { ...request, stream_options: { include_usage: true } }],
  ['an unknown member of a message', { ...request, messages: [{ ...request.messages[0], cache: {} }] }],
])('a request may arrive with %s (GATE-1)', (_, arrived) => {
  expect(requestDifference(request, arrived)).toBeUndefined()
})

test.each([
  ['another text', { ...request, messages: [{ role: 'user', content: 'x ' }] }],
  ['one message more', { ...request, messages: [...request.messages, ...request.messages] }],
  ['a known member that was absent', { ...request, temperature: 1 }],
  ['`stream: false`', { ...request, stream: false }],
  ['no `stream`', { model: 'm', messages: request.messages }],
  [
    'options beside the usage',
    { ...request, stream_options: { include_usage: true, include_obfuscation: false } },
  ],
])('a request may not arrive with %s (GATE-1)', (_, arrived) => {
  expect(requestDifference(request, arrived)).toBeDefined()
})

test.each(['metadata', 'logit_bias'])('nothing is added to `%s` (GATE-1)', (name) => {
  expect(requestDifference({ ...request, [name]: {} }, { ...request, [name]: { x: 1 } })).toBeDefined()
})

test('nothing is added to a schema (GATE-1)', () => {
  const tools = (parameters: unknown) => ({
    tools: [{ type: 'function', function: { name: 'f', parameters } }],
  })
  expect(requestDifference(tools({ type: 'object' }), tools({ type: 'object', x: 1 }))).toBeDefined()
})

const answer = {
  id: 'a',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'x', refusal: null }, logprobs: null }],
  usage: { prompt_tokens: 1 },
  reasoning: 'vendor',
}

test('an answer may be given another id, more members, and no nulls (GATE-2)', () => {
  const [choice] = answer.choices
  const arrived = {
    id: 'b',
    model: 'n',
    created: 2,
    choices: [{ index: 0, extra: 1, message: { role: 'assistant', content: choice?.message.content } }],
  }
  expect(answerDifference(answer, arrived)).toBeUndefined()
  expect(answerDifference(answer, { ...arrived, choices: [] })).toBeDefined()
})

test('counts must be equal, and may be added (GATE-7)', () => {
  expect(usageDifference({ a: 1, b: { c: 2 } }, { a: 1, b: { c: 2 }, d: 3 })).toBeUndefined()
  expect(usageDifference({ a: 1 }, { a: 2 })?.path).toEqual(['usage', 'a'])
  expect(usageDifference({ a: 1 }, undefined)?.path).toEqual(['usage'])
})

test('members that the format does not know are found at any depth (GATE-13)', () => {
  expect(vendorDifference(answer, { reasoning: 'vendor' }, answerNames)).toBeUndefined()
  expect(vendorDifference(answer, {}, answerNames)?.path).toEqual(['reasoning'])
  expect(vendorDifference({ messages: [{ x: 1 }] }, { messages: [{}] }, requestNames)?.path).toEqual([
    'messages',
    0,
    'x',
  ])
})
