// The quick check against zod: what it accepts, zod accepts and returns unchanged.
import { expect, test } from 'vitest'
import { z } from 'zod'
import { fc, forAllWith } from '../property.fixture.ts'
import { annotate } from './annotate.ts'
import { list } from './collections.ts'
import { quickCheck } from './quick-check.ts'
import { chatCompletionFields } from './request.ts'
import { textUpTo } from './text.ts'

const check = quickCheck(chatCompletionFields)

/** A request with most of the fields, and with each kind of message. */
const whole: Readonly<Record<string, unknown>> = {
  model: 'm',
  messages: [
    { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
    { role: 'developer', content: 'Be kind.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png', detail: 'low' } },
      ],
      name: 'me',
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', content: 'x', tool_call_id: 'c' },
  ],
  temperature: 1,
  top_p: 0.5,
  n: 2,
  stop: ['a'],
  stream: true,
  stream_options: { include_usage: true },
  seed: 1,
  max_tokens: 5,
  response_format: {
    type: 'json_schema',
    json_schema: { name: 's', schema: { type: 'object' }, strict: true },
  },
  tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
  tool_choice: { type: 'function', function: { name: 'f' } },
  logprobs: true,
  top_logprobs: 3,
  user: 'u',
  safety_identifier: 'x'.repeat(64),
  frequency_penalty: null,
}

test('a usual request needs no zod', () => {
  expect(check({ model: 'm', messages: [{ role: 'user', content: 'Hello' }], temperature: 0 })).toBe(true)
  expect(check(whole)).toBe(true)
})

test.each([
  ['a rule behind an annotation', annotate(z.string(), { maxLength: 3 }).refine((text) => text !== 'a'), 'a'],
  ['a rule behind a list', list(z.string()).refine(() => false), ['a']],
  ['a bounded text with a rule', textUpTo(3).refine((text) => text !== 'a'), 'a'],
  ['a text that is changed', z.string().trim(), 'a'],
  ['a text of which the case is changed', z.string().toUpperCase(), 'a'],
  ['an object that keeps what it does not know', z.object({}).passthrough(), { a: 1 }],
  ['an object that drops it', z.object({}), { a: 1 }],
  ['an exclusive bound', z.number().gt(3), 3],
  ['a step', z.number().multipleOf(2), 3],
  ['a number of a text', z.coerce.number(), '3'],
  ['a default', z.string().default('x'), undefined],
  ['a pattern with a memory', z.string().regex(/a/g), 'a'],
  ['a record with keys of a kind', z.record(z.string().min(2), z.unknown()), { a: 1 }],
])('%s is left to zod', (_, schema, value) => {
  expect(quickCheck(schema)(value)).toBe(false)
})

type JsonPath = readonly (string | number)[]

/** The path to every value in a value, itself included. */
function placesIn(value: unknown, path: JsonPath = []): JsonPath[] {
  if (typeof value !== 'object' || value === null) return [path]
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [path, ...members.flatMap(([name, member]) => placesIn(member, [...path, name]))]
}

/** A copy of `value` with another one at `place`, as JSON text that may name members as it likes. */
function replaced(value: unknown, [name, ...rest]: JsonPath, given: unknown): unknown {
  if (name === undefined) return given
  if (Array.isArray(value)) return value.map((item, at) => (at === name ? replaced(item, rest, given) : item))
  const members = typeof value === 'object' && value !== null ? value : {}
  return Object.fromEntries([
    ...Object.entries(members).filter(([other]) => other !== name),
    [name, replaced(Reflect.get(members, name), rest, given)],
  ])
}

const places = placesIn(whole)
const names = [...Object.keys(chatCompletionFields.shape), 'type', 'content', 'other', '__proto__']
const words = ['user', 'tool', 'text', 'function', 'json_object', 'auto']
const given = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom<unknown>(...words, '', null, -3, 3, 1e308, -0, 64.5),
  fc.string({ unit: 'binary', minLength: 60, maxLength: 70 }),
  fc
    .constantFrom(...places)
    .map((place) => place.reduce<unknown>((value, name) => Reflect.get(Object(value), name), whole)),
)
const place = fc.oneof(
  fc.constantFrom(...places),
  fc
    .tuple(fc.constantFrom(...places), fc.constantFrom(...names))
    .map(([at, name]): JsonPath => at.slice(0, -1).concat(name)),
  fc.constantFrom(...names).map((name) => [name]),
)

test('of bodies changed in any way, what it accepts zod accepts and returns unchanged', () => {
  let [tried, accepted] = [0, 0]
  forAllWith(
    { numRuns: 20_000 },
    fc.array(fc.tuple(place, given), { minLength: 1, maxLength: 2 }),
    (changes) => {
      tried += 1
      const changed = changes.reduce<unknown>((body, [at, value]) => replaced(body, at, value), whole)
      const text = JSON.stringify(changed)
      const body: unknown = JSON.parse(text)
      if (!check(body)) return
      accepted += 1
      const parsed = chatCompletionFields.safeParse(body)
      expect(parsed.success).toBe(true)
      expect(JSON.stringify(sorted(parsed.data))).toBe(JSON.stringify(sorted(body)))
    },
  )

  expect(accepted).toBeGreaterThan(tried / 40)
})

/** The value with members in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  )
}
