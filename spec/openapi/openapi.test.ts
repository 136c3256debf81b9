// The document is valid, says what the service answers, and is the one that is committed.
import { readFileSync } from 'node:fs'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, test } from 'vitest'
import { errorEnvelope } from '../protocol/error.ts'
import { createOpenApiDocument } from './openapi.ts'
import { errorAnswers } from './error-answers.ts'
import { operations } from './operations.ts'
import { chatCompletionFields } from '../schemas/request.ts'

const document = createOpenApiDocument()
const text = JSON.stringify(document)

test('openapi.json is what the schemas say now (npm run openapi writes it)', () => {
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

test('a linter of OpenAPI documents finds nothing to say', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
  expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).toEqual([])
})

test('the linter would find something', async () => {
  const config = await createConfig({ extends: ['recommended'] })
  const source = text.replace('"429":{', '"4290":{').replaceAll('#/components/schemas/Usage"', '#/nowhere"')
  const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config })
  expect(problems.map(({ ruleId }) => ruleId)).toContain('no-unresolved-refs')
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
