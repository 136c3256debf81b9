// The OpenAPI document accepts everything that the service accepts, and the zod schemas and the parser of bodies give
// the same verdict, on valid values and on values that break one constraint of the document. The service also refuses
// what the document states in words alone: the rules between fields.
import { describe, expect, test } from 'vitest'
import { forAll, forAllWith } from '../../spec/property.fixture.ts'
import { errorEnvelope } from '../../spec/protocol/error.ts'
import { createOpenApiDocument } from '../../spec/openapi/openapi.ts'
import { documentValidator } from '../../spec/openapi/openapi.fixture.ts'
import { parseChatCompletionRequest } from '../../spec/schemas/parse-request.ts'
import { chatCompletionRequest } from '../../spec/schemas/request.ts'
import { chatCompletion, chatCompletionChunk, modelList } from '../../spec/schemas/response.ts'
import { type Place, mutatedRequests, validRequest } from './requests.ts'
import { schemaPlaces } from './schema-places.ts'
import { type Json, SchemaReader } from '../../spec/openapi/schema-walk.ts'
import { mutateAt } from './mutate.ts'
import { ValueGenerator } from './schema-values.ts'

/** As it travels: what JSON cannot carry is not judged. */
const overTheWire = (value: Json): unknown => JSON.parse(JSON.stringify(value))

// As its readers get it.
const document: unknown = JSON.parse(JSON.stringify(createOpenApiDocument()))

describe('requests', () => {
  const accepts = documentValidator(createOpenApiDocument(), 'ChatCompletionRequest')
  const verdicts = (body: unknown) => ({
    document: accepts(body),
    zod: chatCompletionRequest.safeParse(body).success,
    reading: 'request' in parseChatCompletionRequest(body),
  })

  test('valid requests are accepted', () => {
    forAllWith({ numRuns: 300 }, validRequest(document, { unknownMembers: true }), (body) => {
      expect(verdicts(overTheWire(body))).toEqual({ document: true, zod: true, reading: true })
    })
  })

  test('what is read is what zod reads', () => {
    forAll(validRequest(document, { unknownMembers: true }), (body) => {
      const read = parseChatCompletionRequest(overTheWire(body))
      expect(read).toEqual({ request: chatCompletionRequest.parse(overTheWire(body)) })
    })
  })

  const all = mutatedRequests(document)

  test('the places hold every kind of fault, and every field', () => {
    expect(new Set(all.map(({ place }) => place.kind))).toEqual(
      new Set<Place['kind']>([
        'type',
        'null',
        'integer',
        'range',
        'enum',
        'missing',
        'unknown',
        'items',
        'length',
        'pattern',
        'properties',
        'names',
        'rule',
      ]),
    )
    const fields = Object.keys(chatCompletionRequest.innerType().shape)
    expect(fields.filter((field) => !all.some(({ place }) => place.at.startsWith(field)))).toEqual([])
    expect(all.length).toBeGreaterThan(500)
  })

  test('each constraint, broken alone, makes a request invalid, and the refusal names the field', () => {
    for (const { place, broken } of all) {
      // The document states rules in words if JSON Schema cannot.
      const inWords = place.kind === 'rule' && place.constraint.endsWith('/description')
      forAllWith({ numRuns: 3 }, broken(), ({ body, at }) => {
        const sent = overTheWire(body)
        expect(verdicts(sent)).toEqual({ document: inWords, zod: false, reading: false })
        expect(parseChatCompletionRequest(sent)).toMatchObject({ issue: { param: named(at) } })
      })
    }
  })
})

/** The field as a refusal names it: the body as a whole has no name, and a client's own key is cut. */
function named(at: string): unknown {
  const [whole = '', key = ''] = /^metadata\.(.*)$/su.exec(at) ?? []
  if (whole !== '' && key.length > 64) return `metadata.${key.slice(0, 64)}…`
  return at === '' ? null : at
}

test.each([
  ['ChatCompletion', chatCompletion],
  ['ChatCompletionChunk', chatCompletionChunk],
  ['ModelList', modelList],
  ['Error', errorEnvelope],
] as const)('answers: %s', (name, schema) => {
  const accepts = documentValidator(createOpenApiDocument(), name)
  const reader = new SchemaReader(document)
  const node = reader.at(`/components/schemas/${name}`)
  const generator = new ValueGenerator(reader, { unknownMembers: true })
  const verdicts = (value: unknown) => [accepts(value), schema.safeParse(value).success]

  forAll(generator.valid(node), (value) => {
    expect(verdicts(overTheWire(value))).toEqual([true, true])
  })
  for (const place of schemaPlaces({ reader, generator }, node))
    forAllWith({ numRuns: 1 }, generator.along(node, place.steps), place.mutate(), (located, mutate) => {
      expect(verdicts(overTheWire(mutateAt(located, mutate).value))).toEqual([false, false])
    })
})
