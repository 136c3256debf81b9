// The generator's faults, each with the schema that shows it: here zod and the description agree on every sample.
import { generateSchema } from '@anatine/zod-openapi'
import { describe, expect, test } from 'vitest'
import { type ZodTypeAny, z } from 'zod'
import { type JsonSchema, annotate } from '../schemas/annotate.ts'
import { dictionary, list } from '../schemas/collections.ts'
import { type Components, openApiSchema } from './openapi-schema.ts'
import { documentValidator } from './openapi.fixture.ts'
import { textUpTo } from '../schemas/text.ts'

const cat = z.object({ kind: z.literal('cat'), lives: z.number().int() })
const dog = z.object({ kind: z.literal('dog'), name: z.string().optional() })
const pet = z.discriminatedUnion('kind', [cat, dog])

interface Tree {
  readonly children?: Tree[] | undefined
}
const tree: z.ZodType<Tree> = z.object({ children: z.array(z.lazy(() => tree)).optional() })

/** Values that distinguish right descriptions from wrong ones: each type, each branch, each edge. */
const samples: readonly unknown[] = [
  null,
  'null',
  '',
  'low',
  'lower',
  'a1',
  'a',
  '1',
  '😀😀',
  '😀😀😀',
  'xxx',
  0,
  1,
  1.5,
  -1,
  7,
  true,
  [],
  ['a'],
  ['a', 1],
  ['a', 1, 2],
  [1, 'a'],
  ['low', 'low'],
  {},
  { a: 1 },
  { a: 'x' },
  { a: null },
  { a: 'low' },
  { a: 1, b: 2 },
  { 1: 1 },
  { kind: 'cat' },
  { kind: 'cat', lives: 9 },
  { kind: 'dog', lives: 9 },
  { kind: 'cow' },
  { children: [] },
  { children: [{ children: [{}] }] },
  { children: [{ children: [5] }] },
  { children: null },
]

function validator(schemas: Readonly<Record<string, JsonSchema>>): (value: unknown) => boolean {
  return documentValidator({ components: { schemas } }, 'Subject')
}

/** The samples on which zod and the description differ; `named` is described as components. */
function differences(schema: ZodTypeAny, named: Readonly<Record<string, ZodTypeAny>> = {}): unknown[] {
  const components: Components = new Map(Object.entries(named).map(([name, part]) => [part, name]))
  const schemas = Object.entries(named).map(([name, part]) => [name, openApiSchema(part, components)])
  const accepts = validator({ ...Object.fromEntries(schemas), Subject: openApiSchema(schema, components) })
  return samples.filter((value) => accepts(value) !== schema.safeParse(value).success)
}

const level = z.enum(['low', 'high'])

/** Schemas that the generator alone describes wrongly or too loosely. */
const faults: Readonly<Record<string, ZodTypeAny>> = {
  'an enum or null': level.nullable(),
  'an enum or null or nothing': z.object({ a: level.nullish() }),
  'a literal or null': z.literal('low').nullable(),
  'a union or null': z.union([z.string(), z.array(z.string())]).nullable(),
  'a discriminated union or null': pet.nullable(),
  'a text and a listed text': z.union([z.string(), level]),
  'an object and a wider one': z.union([
    z.object({ a: z.number() }),
    z.object({ a: z.number(), b: z.number().optional() }),
  ]),
  'two patterns': z.string().regex(/[a-z]/).regex(/[0-9]/),
  'a record with keys': z.record(z.string().regex(/^[0-9]+$/), z.number()),
  'a record with keys or null': z.record(z.string().regex(/^[0-9]+$/), z.number()).nullable(),
  'a catchall with a fault of its own': z.object({}).catchall(level.nullable()),
  'a list': list(level, { min: 1, max: 1 }),
  'a dictionary': dictionary({
    key: z.string().regex(/^[0-9]+$/),
    keys: 'numbers',
    value: z.number(),
    max: 1,
  }),
}

/** Schemas that it describes correctly. */
const right: Readonly<Record<string, ZodTypeAny>> = {
  'an annotated refinement': annotate(
    z.number().refine((value) => value !== 7),
    { not: { const: 7 } },
  ),
  'an annotated refinement or null': annotate(
    z.number().refine((value) => value !== 7),
    { not: { const: 7 } },
  ).nullable(),
  'text of a length in characters': textUpTo(2),
  'strict, passthrough and plain objects': z.union([
    z.strictObject({ a: z.number() }),
    z.object({ b: z.number() }).passthrough(),
  ]),
  'numbers in bounds': z.number().gt(0).lte(7),
  integers: z.number().int().nonnegative().multipleOf(7),
  anything: z.unknown(),
}

describe('zod and its description agree', () => {
  test.each(Object.entries({ ...faults, ...right }))('%s', (_, schema) => {
    expect(differences(schema)).toEqual([])
  })

  test.each(Object.entries(faults))('the samples show the fault of the generator alone: %s', (_, schema) => {
    let agree: boolean
    try {
      const accepts = validator({ Subject: { ...generateSchema(schema, false, '3.1') } })
      agree = samples.every((value) => accepts(value) === schema.safeParse(value).success)
    } catch {
      // The result is not a valid schema.
      agree = false
    }
    expect(agree).toBe(false)
  })
})

test.each<[string, ZodTypeAny]>([
  ['a refinement without words', z.string().refine((text) => text !== '')],
  ['a transformation without words', z.string().transform(Number)],
  ['flags of a pattern', z.string().regex(/^a$/i)],
  ['a beginning', z.string().startsWith('a')],
  ['an end', z.string().endsWith('a')],
  ['a part', z.string().includes('a')],
  ['a length in UTF-16 units', z.string().max(5)],
  ['a set', z.set(z.string())],
  ['a map', z.map(z.string(), z.string())],
  ['a date', z.date()],
  ['nothing', z.undefined()],
  ['a schema that may refer to itself', z.lazy(() => tree)],
  ['null alone', z.null()],
  ['null in a union', z.union([z.null(), z.number()])],
  ['the literal null', z.literal(null)],
  ['a tuple', z.tuple([z.string(), z.number()])],
  ['a tuple with a rest', z.tuple([z.string()]).rest(z.number())],
  ['a tuple or null', z.tuple([z.string(), z.number()]).nullable()],
  ['no value', z.never()],
  ['a member that is never there', z.object({ a: z.never().optional() })],
  ['a nullable member with a default of zod', z.object({ a: z.number().nullable().default(1) })],
  ['a fault deep inside', z.object({ a: z.array(z.set(z.string())) })],
])('what has no faithful description is refused: %s', (_, schema) => {
  expect(() => openApiSchema(schema)).toThrow(TypeError)
})

describe('the form of a description', () => {
  test('a component is referred to wherever it occurs, and the union of components can be followed', () => {
    const components: Components = new Map<ZodTypeAny, string>([
      [cat, 'Cat'],
      [dog, 'Dog'],
    ])
    const mapping = { cat: '#/components/schemas/Cat', dog: '#/components/schemas/Dog' }
    expect(openApiSchema(z.array(cat), components)).toEqual({ type: 'array', items: { $ref: mapping.cat } })
    expect(openApiSchema(pet, components)).toEqual({
      oneOf: [{ $ref: mapping.cat }, { $ref: mapping.dog }],
      discriminator: { propertyName: 'kind', mapping },
    })
  })

  test('an annotation replaces what is described, where the generator would join the two', () => {
    const schema = annotate(level.nullable(), { enum: ['high'], description: 'Only high.' })
    expect(openApiSchema(schema)).toEqual({
      type: ['string', 'null'],
      enum: ['high'],
      description: 'Only high.',
    })
  })

  test('an annotation survives what wraps it, and stays on its copy', () => {
    const plain = z.number()
    const schema = z.object({ a: annotate(plain, { deprecated: true }).nullish(), b: plain })
    expect(openApiSchema(schema)).toEqual({
      type: 'object',
      properties: { a: { type: ['number', 'null'], deprecated: true }, b: { type: 'number' } },
      required: ['b'],
    })
  })

  test('a default is added in words to the description', () => {
    const plain = annotate(z.number(), { default: 1 })
    expect(openApiSchema(plain)).toEqual({ type: 'number', description: 'Default: `1`.' })
    expect(openApiSchema(annotate(plain.describe('How many.'), { default: [] }))).toEqual({
      type: 'number',
      description: 'How many. Default: `[]`.',
    })
  })

  test('a description of a wrapped schema is written once, and beside a reference only if it differs', () => {
    const named = z.string().describe('A name.')
    const components: Components = new Map([[named, 'Name']])
    const schema = z.object({
      same: named.optional(),
      other: named.nullable().describe('Another name.'),
      inline: z.number().describe('A number.').nullish(),
    })
    expect(openApiSchema(schema, components)['properties']).toEqual({
      same: { $ref: '#/components/schemas/Name' },
      other: {
        anyOf: [{ $ref: '#/components/schemas/Name' }, { type: 'null' }],
        description: 'Another name.',
      },
      inline: { type: ['number', 'null'], description: 'A number.' },
    })
  })
})
