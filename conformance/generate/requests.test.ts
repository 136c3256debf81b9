// Valid generated requests follow the options; mutated ones break exactly one constraint.
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { fc, forAll, forAllWith } from '../../spec/property.fixture.ts'
import { documentValidator } from '../../spec/openapi/openapi.fixture.ts'
import { type JsonObject, type Place, mutatedRequest, places, validRequest } from './requests.ts'

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

  test('is valid but for the constraint that it names', () => {
    const arbitrary = mutatedRequest(document, { accept: canBeLifted })
    forAllWith({ numRuns: 25 }, arbitrary, (broken) => {
      expect(accepts(broken.body)).toBe(false)
      expect(documentValidator(without(broken), 'ChatCompletionRequest')(broken.body)).toBe(true)
    })
  })

  test('breaks only accepted places, and is the same for the same seed', () => {
    const arbitrary = mutatedRequest(document, {
      accept: ({ at, kind }) => at === 'stop' && kind === 'items',
    })
    const bodies = () => fc.sample(arbitrary, { seed: 1, numRuns: 20 })
    expect(bodies()).toEqual(bodies())
    for (const { at, kind, body } of bodies()) {
      expect([at, kind]).toEqual(['stop', 'items'])
      expect([0, 5, 6, 7]).toContain((body as { stop: string[] }).stop.length)
    }
  })

  test('shrinks to little more than what is wrong with it', () => {
    const arbitrary = mutatedRequest(document, {
      model: 'm',
      accept: ({ at, kind }) => at === 'temperature' && kind === 'range',
    })
    const never = fc.property(arbitrary, ({ body }) => body === undefined)
    const body = fc.check(never, { seed: 1 }).counterexample?.[0].body
    expect(Object.keys(Object(body)).toSorted()).toEqual(['messages', 'model', 'temperature'])
  })

  test('nothing to break is an error', () => {
    expect(() => mutatedRequest(document, { accept: () => false })).toThrow(RangeError)
  })
})

describe('options', () => {
  test('only the selected fields occur, with the fields that they need', () => {
    const options = { model: 'm', fields: ['stream_options', 'n'] }
    forAll(validRequest(document, options), (body) => {
      const extra = Object.keys(body).filter(
        (name) => !['model', 'messages', 'stream_options', 'stream', 'n'].includes(name),
      )
      expect(extra).toEqual([])
      expect(body['model']).toBe('m')
    })
    const fields = new Set(places(document, options).map(({ at }) => at.split(/[.[]/)[0]))
    expect([...fields].toSorted()).toEqual(['', '*', 'messages', 'model', 'n', 'stream_options'])
  })

  test('schemas that are left out occur nowhere', () => {
    const options = { without: ['DeveloperMessage', 'FunctionMessage', 'ImagePart', 'AudioPart', 'FilePart'] }
    forAll(validRequest(document, options), (body) => {
      expect(JSON.stringify(body['messages'])).not.toMatch(
        /"role":"(developer|function)"|"type":"(image_url|input_audio|file)"/,
      )
    })
    expect(places(document, options).filter(({ constraint }) => constraint.includes('ImagePart'))).toEqual([])
  })

  test('every call of a valid conversation is answered at once, and nothing else is', () => {
    forAll(validRequest(document), (body) => {
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
