// Leniently, a request with unknown members is read as the same request without them, and each of them is named.
import { expect, test } from 'vitest'
import { fc, forAll } from '../property.fixture.ts'
import { parseChatCompletionRequest } from './parse-request.ts'
import { ignoredMembers } from './unknown-members.ts'

const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object', x_kept: 1 } } }
const other = {
  type: 'custom',
  custom: { name: 'g', format: { type: 'grammar', grammar: { definition: 'a', syntax: 'lark' } } },
}

/** A request that has every kind of object. */
const known = {
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  stream: true,
  stream_options: { include_usage: true },
  tools: [tool, other, tool],
  tool_choice: { type: 'function', function: { name: 'f' } },
  response_format: { type: 'json_schema', json_schema: { name: 's', schema: { x_kept: true } } },
  audio: { voice: { id: 'v' }, format: 'mp3' },
  metadata: { x_kept: 'a' },
  web_search_options: { user_location: { type: 'approximate', approximate: { city: 'Bern' } } },
}

/** The objects to which an unknown member can be added. */
const places = [
  '',
  'messages[0]',
  'messages[0].content[0]',
  'stream_options',
  'tools[0]',
  'tools[2].function',
  'tools[1].custom.format.grammar',
  'tool_choice',
  'tool_choice.function',
  'response_format.json_schema',
  'audio.voice',
  'web_search_options.user_location.approximate',
]

function add(body: unknown, place: string, name: string, value: unknown): void {
  const at = place
    .split(/[.[\]]+/)
    .filter((step) => step !== '')
    .reduce<unknown>((part, step) => Reflect.get(Object(part), step), body)
  Object.defineProperty(at, name, { value, enumerable: true, configurable: true, writable: true })
}

const name = fc.constantFrom('top_k', 'cache_control', 'constructor', '__proto__', 'x y')
const added = fc.uniqueArray(fc.record({ place: fc.constantFrom(...places), name, value: fc.jsonValue() }), {
  selector: ({ place, name }) => `${place}.${name}`,
})

test('unknown members are left out and named, wherever they stand', () => {
  forAll(added, (members) => {
    const body: unknown = JSON.parse(JSON.stringify(known))
    for (const { place, name, value } of members) add(body, place, name, value)
    const before = JSON.stringify(body)
    const parsed = parseChatCompletionRequest(body, { lenient: true })
    expect(parsed).toEqual(parseChatCompletionRequest(known))
    expect(JSON.stringify(body)).toBe(before)

    const names = members.map(({ place, name }) => (place === '' ? name : `${place}.${name}`))
    expect('request' in parsed && ignoredMembers(body, parsed.request).toSorted()).toEqual(names.toSorted())
    const strict = parseChatCompletionRequest(body)
    const isRefused = members.some(({ place }) => !place.startsWith('messages'))
    expect('issue' in strict && strict.issue.code).toBe(isRefused && 'unknown_parameter')
  })
})

test('what is known and wrong is refused all the same', () => {
  const parse = (body: object) => parseChatCompletionRequest({ ...known, ...body }, { lenient: true })
  expect(parse({ temperature: 3, top_k: 1 })).toMatchObject({ issue: { param: 'temperature' } })
  expect(parse({ tools: [{ ...tool, x: 1, type: 'frob' }] })).toMatchObject({
    issue: { param: 'tools[0].type' },
  })
  expect(parse({ audio: { x: 1, voice: 'v' } })).toMatchObject({ issue: { param: 'audio.format' } })
  expect(parse({ model: undefined })).toMatchObject({ issue: { param: 'model' } })
})

test('no key is left in a name', () => {
  const [ignored] = ignoredMembers({ [`svc_sk_${'a'.repeat(43)}`]: 1 }, {})
  expect(ignored).not.toContain('aaaa')
})
