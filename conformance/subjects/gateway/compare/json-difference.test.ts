// The differences between the two sides of a gateway that are allowed, and those that are not, if the faulty and odd
// gateways do not show it.
import { expect, test } from 'vitest'
import { fc, forAll } from '../../../../spec/property.fixture.ts'
import { exactJson } from '../../../../harness/json-text.ts'
import { answerDifference, usageDifference } from './answer-difference.ts'
import { differenceOf, showPath } from './json-difference.ts'
import { requestNames, vendorDifference } from './known-members.ts'
import { requestDifference } from './request-difference.ts'

test('a value equals its copy, and differs from it if one leaf is changed', () => {
  forAll(fc.jsonValue({ maxDepth: 4 }), (value) => {
    const copy = JSON.parse(JSON.stringify(value))
    // JSON has no negative zero, and equal numbers are equal.
    expect(differenceOf(JSON.parse(JSON.stringify(value)), copy)).toBeUndefined()
    expect(differenceOf({ value }, { value: [value] })).toBeDefined()
  })
})

test.each([
  [{ a: [1, { b: 'x' }] }, { a: [1, { b: 'y' }] }, 'a[1].b'],
  [{ a: [1] }, { a: [1, 2] }, 'a[1]'],
  [{ a: 1 }, {}, 'a'],
  [{}, { a: 1 }, 'a'],
  [{ a: null }, { a: 0 }, 'a'],
  [{ a: 0.1 }, { a: 0.10000000149011612 }, 'a'],
  [{}, [], 'the body'],
])('%j and %j differ at %s', (sent, arrived, place) => {
  expect(showPath(differenceOf(sent, arrived)?.path ?? ['nothing'])).toBe(place)
})

test.each<[string, string, boolean]>([
  ['9007199254740993', '9007199254740993', true],
  ['9007199254740993', '9007199254740992', false],
  ['9223372036854775807', '9.223372036854775807e18', true],
  ['18446744073709551615', '18446744073709552000', false],
  ['-9007199254740993', '9007199254740993', false],
  ['9007199254740993', '"9007199254740993"', false],
  ['2', '2.0', true],
  ['-0', '0', true],
  ['1e21', '1000000000000000000000', true],
  ['0.1', '0.10', true],
  ['0.1', '0.1000000000000000055511151231257827', true],
  ['0.1234567890123456789', '0.12345678901234568', true],
  ['0.1234567890123456789', '0.1234567890123456', false],
  ['0.3', '0.30000001192092896', false],
  ['1e-7', '0.0000001', true],
  ['7', '{"rawJSON":"7"}', false],
])('the numbers %s and %s are the same for a gateway (GATE-1): %s', (sent, arrived, isSame) => {
  const [one, other] = [sent, arrived].map((text) => exactJson(`{"a":[${text}]}`))
  expect(differenceOf(one, other) === undefined).toBe(isSame)
})

const request = { model: 'm', messages: [{ role: 'user', content: 'x' }], stream: true, metadata: {} }

test.each<[string, boolean, object]>([
  ['an unknown member of a message', true, { messages: [{ ...request.messages[0], cache: {} }] }],
  ['the usage, requested', true, { stream_options: { include_usage: true } }],
  ['options beside it', false, { stream_options: { include_usage: true, include_obfuscation: false } }],
  ['an entry of `metadata`', false, { metadata: { x: 1 } }],
  ['`stream: false`', false, { stream: false }],
  ['`max_tokens` beside the others', false, { max_tokens: 5 }],
])('that a request arrives with %s is allowed (GATE-1): %s', (_, isAllowed, change) => {
  expect(requestDifference(request, { ...request, ...change }) === undefined).toBe(isAllowed)
})

test.each<[string, boolean, object, object]>([
  ['`max_tokens` under its new name', true, { max_tokens: 5 }, { max_completion_tokens: 5 }],
  ['another bound under the new name', false, { max_tokens: 5 }, { max_completion_tokens: 6 }],
  ['both names for one', false, { max_tokens: 5 }, { max_tokens: 5, max_completion_tokens: 5 }],
  ['the old name for the new one', false, { max_completion_tokens: 5 }, { max_tokens: 5 }],
])('that a bound arrives as %s is allowed (GATE-1): %s', (_, isAllowed, sent, arrived) => {
  expect(requestDifference({ ...request, ...sent }, { ...request, ...arrived }) === undefined).toBe(isAllowed)
})

test('absent, null and empty lists of calls mean the same (GATE-2), and empty details of the usage (GATE-7)', () => {
  const answer = (message: object) => ({ choices: [{ index: 0, message: { content: 'x', ...message } }] })
  const forms = [{}, { tool_calls: null }, { tool_calls: [] }].map(answer)
  for (const sent of forms)
    for (const arrived of forms) expect(answerDifference(sent, arrived)).toBeUndefined()
  expect(answerDifference(answer({ tool_calls: [{ id: 'c' }] }), answer({ tool_calls: [] }))).toBeDefined()
  expect(
    usageDifference({ a: 1, prompt_tokens_details: {} }, { a: 1, prompt_tokens_details: null }),
  ).toBeUndefined()
  expect(usageDifference({ prompt_tokens: 1 }, {})).toBeDefined()
})

test('counts may be added (GATE-7)', () => {
  expect(usageDifference({ a: 1, b: { c: 2 } }, { a: 1, b: { c: 2 }, d: 3 })).toBeUndefined()
})

test('members that the format does not know are found at any depth (GATE-13)', () => {
  const found = vendorDifference({ messages: [{ x: 1 }] }, { messages: [{}] }, requestNames)
  expect(found?.path).toEqual(['messages', 0, 'x'])
})
