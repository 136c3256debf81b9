// Valid generated requests follow the options; mutated ones break exactly one constraint.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { fc, forAll, forAllWith } from '../../spec/property.fixture.ts'
import { documentValidator } from '../../spec/openapi/openapi.fixture.ts'
import type { JsonObject } from '../../spec/openapi/schema-walk.ts'
import { ChatRequests, fieldOf } from './chat-requests.ts'
import type { Place } from './schema-places.ts'

const text = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')
const document: unknown = JSON.parse(text)

/** The document without the keyword at `constraint`. */
function without({ constraint, kind }: Place): JsonObject {
  const copy = JSON.parse(text)
  const path = constraint.split('/').slice(1)
  const last = path.pop() ?? ''
  const parent = path.reduce((value, key) => value[key.replaceAll('~1', '/')], copy)
  if (kind === 'type' || kind === 'null' || /\/(oneOf|anyOf|properties|schemas)\/[^/]+$/.test(constraint))
    parent[last] = {}
  else if (Array.isArray(parent)) parent.splice(Number(last), 1)
  else delete parent[last]
  return copy
}

describe('a broken request', () => {
  const accepts = documentValidator(JSON.parse(text), 'ChatCompletionRequest')
  /** Rules in words cannot be removed, nor can parts that a union distinguishes by their type. */
  const canBeLifted = ({ constraint, kind }: Place) =>
    kind === 'type' || kind === 'null'
      ? !constraint.startsWith('/components/schemas/') || constraint.includes('/properties/')
      : !constraint.endsWith('/description')

  const all = new ChatRequests(document)

  test('is valid but for the constraint that it names', () => {
    forAllWith({ numRuns: 25 }, all.invalid(canBeLifted), ({ body, place }) => {
      expect(accepts(body)).toBe(false)
      expect(documentValidator(without(place), 'ChatCompletionRequest')(body)).toBe(true)
    })
  })

  test('breaks only accepted places, and is the same for the same seed', () => {
    const arbitrary = all.invalid(({ at, kind }) => at === 'stop' && kind === 'too-many')
    const bodies = () => fc.sample(arbitrary, { seed: 1, numRuns: 20 }).map(({ body }) => body)
    expect(bodies()).toEqual(bodies())
    for (const body of bodies()) expect(body).toMatchObject({ stop: { length: 5 } })
  })

  test('shrinks to little more than what is wrong with it', () => {
    const arbitrary = all.invalid(({ at, kind }) => at === 'temperature' && kind === 'above', 'm')
    const never = fc.property(arbitrary, ({ body }) => body === undefined)
    const body = fc.check(never, { seed: 1 }).counterexample?.[0].body
    expect(Object.keys(Object(body)).toSorted()).toEqual(['messages', 'model', 'temperature'])
  })

  test('nothing to break is an error', () => {
    expect(() => all.invalid(() => false)).toThrow(RangeError)
  })
})

test('an item is broken in the first of several and in the third', () => {
  const requests = new ChatRequests(document)
  const roles = requests.places.filter(({ at, kind }) => at === 'messages[].role' && kind === 'unknown')
  const places = roles.flatMap((place) => requests.smallest(place, 'm')).map(({ at }) => at)
  expect(new Set(places)).toEqual(new Set(['messages[0].role', 'messages[2].role']))
})

describe('options', () => {
  test('only the selected fields occur, with the fields that they need', () => {
    const requests = new ChatRequests(document, { fields: ['stream_options', 'n'] })
    forAll(requests.valid('m'), (body) => {
      const extra = Object.keys(body).filter(
        (name) => !['model', 'messages', 'stream_options', 'stream', 'n'].includes(name),
      )
      expect(extra).toEqual([])
      expect(body['model']).toBe('m')
    })
    const fields = new Set(requests.places.map(fieldOf))
    expect([...fields].toSorted()).toEqual(['', '*', 'messages', 'model', 'n', 'stream_options'])
  })

  test('schemas that are left out occur nowhere', () => {
    const without = ['DeveloperMessage', 'FunctionMessage', 'ImagePart', 'AudioPart', 'FilePart']
    const requests = new ChatRequests(document, { without })
    forAll(requests.valid(), (body) => {
      expect(JSON.stringify(body['messages'])).not.toMatch(
        /"role":"(developer|function)"|"type":"(image_url|input_audio|file)"/,
      )
    })
    expect(requests.places.filter(({ constraint }) => constraint.includes('ImagePart'))).toEqual([])
  })

  test('every call of a valid conversation is answered at once, and nothing else is', () => {
    forAll(new ChatRequests(document).valid(), (body) => {
      let open: string[] = []
      for (const message of body['messages'] as readonly {
        role: string
        tool_call_id?: string
        tool_calls?: { id: string }[]
      }[]) {
        if (message.role === 'tool') expect(message.tool_call_id).toBe(open.shift())
        else {
          expect(open).toEqual([])
          open = message.tool_calls?.map(({ id }) => id) ?? []
        }
      }
      expect(open).toEqual([])
    })
  })
})
