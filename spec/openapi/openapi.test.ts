// The document is valid, says what the service answers, and is the one that is committed.
import { readFileSync } from 'node:fs'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { errorEnvelope } from '../protocol/error.ts'
import { createOpenApiDocument } from './openapi.ts'
import { errorAnswers } from './error-answers.ts'
import { operations } from './operations.ts'
import { chatCompletionFields } from '../schemas/request.ts'

const document = createOpenApiDocument()
const text = JSON.stringify(document)

test('openapi.json is what the schemas say now (npm run docs writes it)', () => {
  const committed: unknown = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'))
  expect(committed).toEqual(JSON.parse(text))
})

test('each bound of an integer is one that fits in 64 bits, as readers without floating point demand', () => {
  const written = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8')
  const bounds = [...written.matchAll(/"(?:min|max)imum": ([^,\s]+),?\s+"(?:min|max)imum": ([^,\s]+)/g)]
  const integers = bounds.flatMap(([, ...values]) =>
    values.filter((value) => !value.includes('.')).map(BigInt),
  )
  expect(integers.length).toBeGreaterThan(2)
  expect(integers.filter((value) => BigInt.asIntN(64, value) !== value)).toEqual([])
})

/** The problems that a validator of OpenAPI documents finds: of the structure, and then of the references. */
async function problemsOf(source: string): Promise<readonly string[]> {
  const validator = new Validator()
  const { valid, errors } = await validator.validate(JSON.parse(source))
  if (!valid) return [JSON.stringify(errors)]
  try {
    validator.resolveRefs()
    return []
  } catch (error) {
    return [String(error)]
  }
}

test('a validator of OpenAPI documents finds no problem', async () => {
  expect(await problemsOf(text)).toEqual([])
})

test.each([
  ['a status of four digits', '"429":{', '"4290":{', /4290/],
  ['a reference to nothing', '#/components/schemas/Usage"', '#/nowhere"', /nowhere/],
])('the validator finds %s', async (_name, part, wrong, problem) => {
  expect(text).toContain(part)
  expect(await problemsOf(text.replaceAll(part, wrong))).toEqual([expect.stringMatching(problem)])
})

test('the validator has no rules on these: unique operation ids, a summary, a security scheme that exists, and used components', () => {
  const { paths, components, security } = JSON.parse(text)
  const all: { operationId: string; summary: string }[] = Object.values<object>(paths).flatMap(Object.values)
  expect(new Set(all.map(({ operationId }) => operationId)).size).toBe(all.length)
  expect(all.filter(({ summary }) => !summary)).toEqual([])
  expect(Object.keys(components.securitySchemes)).toEqual(security.flatMap(Object.keys))
  const names = Object.entries<object>(components)
    .filter(([kind]) => kind !== 'securitySchemes')
    .flatMap(([kind, members]) => Object.keys(members).map((name) => `#/components/${kind}/${name}`))
  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((name) => !text.includes(`"${name}"`))).toEqual([])
})

describe('operations', () => {
  test('every example is valid', () => {
    const contents = operations.flatMap(({ request, success, errors }) => [
      ...(request === null ? [] : [request]),
      ...success.contents,
      ...errors.map((status) => ({ schema: errorEnvelope, examples: errorAnswers[status].examples })),
    ])
    const invalid = contents.flatMap(({ schema, examples }) =>
      Object.values(examples).filter(({ value }) => !schema.safeParse(value).success),
    )
    expect(invalid).toEqual([])
  })

  test('each demands a key, and answers its failures with the table of errors', () => {
    expect(document['security']).toEqual([{ apiKey: [] }])
    for (const { errors } of operations) expect(errors).toEqual(expect.arrayContaining([401, 429, 500, 503]))
  })

  test('a 429 always says when to retry', () => {
    expect(errorAnswers[429].retryAfter).toBe('always')
  })

  test('every field of a request is explained', () => {
    const { properties } = JSON.parse(text).components.schemas.ChatCompletionRequest
    const fields = Object.keys(chatCompletionFields.shape)
    expect(fields).toHaveLength(37)
    expect(fields.filter((name) => typeof properties[name].description !== 'string')).toEqual([])
  })
})
