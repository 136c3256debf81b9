// The OpenAPI document accepts everything that the service accepts, and the zod schemas and the parser of bodies give
// the same verdict, on valid values and on values that break one constraint of the document. The service also refuses
// what the document states in words alone: the rules between fields.
import { describe, expect, test } from 'vitest'
import { fc, forAll, forAllWith } from '../../spec/property.fixture.ts'
import { errorEnvelope } from '../../spec/protocol/error.ts'
import { createOpenApiDocument } from '../../spec/openapi/openapi.ts'
import { documentValidator } from '../../spec/openapi/openapi.fixture.ts'
import { parseChatCompletionRequest } from '../../spec/schemas/parse-request.ts'
import { chatCompletionRequest } from '../../spec/schemas/request.ts'
import { chatCompletion, chatCompletionChunk, modelList } from '../../spec/schemas/response.ts'
import { ChatRequests, type MutatedRequest, bodyText } from './chat-requests.ts'
import { PLACE_KINDS, isAccepted, schemaPlaces } from './schema-places.ts'
import { type Json, SchemaReader } from '../../spec/openapi/schema-walk.ts'
import { mutateAt } from './mutations.ts'
import { randomValue } from './random-values.ts'

/** The value as its receiver reads it: values that JSON cannot carry are not judged. */
const overTheWire = (value: Json): unknown => JSON.parse(bodyText(value))

// Its readers get it as JSON.
const document: unknown = JSON.parse(JSON.stringify(createOpenApiDocument()))

describe('requests', () => {
  const accepts = documentValidator(createOpenApiDocument(), 'ChatCompletionRequest')
  const verdicts = (body: unknown) => ({
    document: accepts(body),
    zod: chatCompletionRequest.safeParse(body).success,
    reading: 'request' in parseChatCompletionRequest(body),
  })

  const all = new ChatRequests(document, { unknownMembers: true })

  test('valid requests are accepted', () => {
    forAllWith({ numRuns: 300 }, all.valid(), (body) => {
      expect(verdicts(overTheWire(body))).toEqual({ document: true, zod: true, reading: true })
    })
  })

  test('what is read is what zod reads', () => {
    forAll(all.valid(), (body) => {
      const read = parseChatCompletionRequest(overTheWire(body))
      expect(read).toEqual({ request: chatCompletionRequest.parse(overTheWire(body)) })
    })
  })

  test('the places have every kind of fault, and every field', () => {
    expect(new Set(all.places.map(({ kind }) => kind))).toEqual(new Set(PLACE_KINDS))
    const fields = Object.keys(chatCompletionRequest.innerType().shape)
    expect(fields.filter((field) => !all.places.some(({ at }) => at.startsWith(field)))).toEqual([])
    expect(all.places.length).toBeGreaterThan(500)
  })

  test('a value of a place is accepted as the schema says, and the refusal names the field', () => {
    const requests = new ChatRequests(document)
    for (const place of requests.places) {
      // The document states rules in words if JSON Schema cannot.
      const inWords = place.kind === 'rule' && place.constraint.endsWith('/description')
      const accepted = isAccepted(place)
      const judge = ({ body, at }: MutatedRequest): void => {
        const sent = overTheWire(body)
        const expected = { document: inWords || accepted, zod: accepted, reading: accepted }
        expect([at, place.kind, verdicts(sent)]).toEqual([at, place.kind, expected])
        if (!accepted) expect(parseChatCompletionRequest(sent)).toMatchObject({ issue: { param: named(at) } })
      }
      for (const request of requests.smallest(place, 'svc-0.1-echo')) judge(request)
      for (const request of requests.once(place, 'svc-0.1-echo')) judge(request)
      forAllWith({ numRuns: 3 }, requests.random(place), judge)
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
  const verdicts = (value: unknown) => [accepts(value), schema.safeParse(value).success]
  const options = { unknownMembers: true }

  forAll(
    randomValue(reader, (values) => values.value(node), options),
    (value) => {
      expect(verdicts(overTheWire(value))).toEqual([true, true])
    },
  )
  for (const place of schemaPlaces(reader, node)) {
    const located = randomValue(reader, (values) => values.along(node, place.steps), options)
    const expected = Array(2).fill(isAccepted(place))
    forAllWith({ numRuns: 1 }, located, fc.constantFrom(...place.mutations), (valid, mutate) => {
      expect(verdicts(overTheWire(mutateAt(valid, mutate).value))).toEqual(expected)
    })
  }
})
