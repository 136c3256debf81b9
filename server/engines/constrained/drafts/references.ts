// Finds the schemas inside a schema, and the targets of its references: relative addresses, anchors, and the
// meta-schemas of old drafts. All other code only follows JSON pointers in one document.
import draft4 from 'ajv-draft-04/dist/refs/json-schema-draft-04.json' with { type: 'json' }
import draft6 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' }
import draft7 from 'ajv/dist/refs/json-schema-draft-07.json' with { type: 'json' }
import { isRecord } from '../../../../spec/schemas/collections.ts'
import { type Draft, draftOf, hasItemList } from './drafts.ts'
import { decoded, type Keywords, listOf, stepsOf } from '../schema/schema-keywords.ts'

/** The address of a schema that does not name its own. */
const NO_ADDRESS = 'https://schema.invalid/'

const META_SCHEMAS: ReadonlyMap<string, Keywords> = new Map(
  [draft4, draft6, draft7].map((schema) => [draftAddress(schema.$schema), schema]),
)

/** Keywords whose value is a schema or a list of schemas. */
const PARTS = [
  'additionalItems',
  'additionalProperties',
  'allOf',
  'anyOf',
  'contains',
  'else',
  'if',
  'items',
  'not',
  'oneOf',
  'prefixItems',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]
/** Keywords whose value maps names to schemas. */
const MAPS = ['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties', 'properties']

interface Location {
  /** The client's schema, or a meta-schema to which it refers. */
  readonly document: Keywords
  /** The steps from the document to this schema. */
  readonly steps: readonly string[]
  /** The address against which references are resolved. */
  readonly base: string
  readonly draft: Draft
}

export type References = ReturnType<typeof readReferences>

export function readReferences(root: Keywords) {
  const places = new Map<unknown, Location>()
  const named = new Map<string, Keywords>()
  const metaSchemas = new Map<Keywords, string>()
  const referring: Keywords[] = []

  visit(root, { document: root, steps: [], base: NO_ADDRESS, draft: draftOf(root) })
  // The loop also visits the references that it finds.
  for (const schema of referring) {
    const found = targetOf(schema)
    if (found !== undefined) visit(found.target, found.place)
  }

  function visit(schema: unknown, around: Location): void {
    if (!isRecord(schema) || places.has(schema)) return
    const base = nameOf(schema, around)
    places.set(schema, { ...around, base })
    if (typeof schema['$ref'] === 'string') referring.push(schema)
    for (const { steps, part } of partsOf(schema))
      visit(part, { ...around, base, steps: [...around.steps, ...steps] })
  }

  /** Registers the addresses of `schema`, and returns its base address. The first of two equal addresses counts. */
  function nameOf(schema: Keywords, { base: outer, draft }: Location): string {
    const register = (address: string) => named.has(address) || named.set(address, schema)
    if (schema === root) register(outer)
    const id = schema[draft === 4 ? 'id' : '$id']
    let base = outer
    if (typeof id === 'string' && !(draft <= 7 && '$ref' in schema)) {
      const [address, anchor] = split(id, outer)
      base = address ?? outer
      register(anchor === '' ? base : `${base}#${anchor}`)
    }
    for (const keyword of ['$anchor', '$dynamicAnchor'])
      if (typeof schema[keyword] === 'string') register(`${base}#${schema[keyword]}`)
    return base
  }

  /** The schema to which `$ref` of `schema` leads, and its place. */
  function targetOf(schema: Keywords): { readonly target: unknown; readonly place: Location } | undefined {
    const from = places.get(schema)
    if (from === undefined) return undefined
    const [address, fragment] = split(String(schema['$ref']), from.base)
    const resource = address === undefined ? undefined : (named.get(address) ?? metaSchema(address))
    const isPointer = fragment === '' || fragment.startsWith('/')
    const start = isPointer ? resource : named.get(`${address}#${fragment}`)
    let place = places.get(start)
    let target: unknown = start
    if (place === undefined || !isPointer) return place && { target, place }
    for (const step of stepsOf(fragment)) {
      if (typeof target !== 'object' || target === null || !Object.hasOwn(target, step)) return undefined
      target = Reflect.get(target, step)
      place = places.get(target) ?? { ...place, steps: [...place.steps, step] }
    }
    return { target, place }
  }

  function metaSchema(address: string): Keywords | undefined {
    const schema = META_SCHEMAS.get(address)
    if (schema === undefined || metaSchemas.has(schema)) return schema
    metaSchemas.set(schema, address)
    visit(schema, { document: schema, steps: [], base: address, draft: draftOf(schema) })
    named.set(address, schema)
    return schema
  }

  return {
    /** The meta-schemas to which the schema refers, and the names of their definitions. */
    metaSchemas,
    draftAt: (value: unknown): Draft | undefined => places.get(value)?.draft,
    /** The steps to the target of `$ref` of `schema`, in the words of draft 2020-12; undefined if there is none. */
    stepsFrom(schema: Keywords): readonly string[] | undefined {
      const found = targetOf(schema)
      if (found === undefined) return undefined
      const { document, steps } = found.place
      const meta = metaSchemas.get(document)
      const current = meta === undefined ? [] : ['$defs', meta]
      let here: unknown = document
      for (const step of steps) {
        current.push(places.has(here) && isRecord(here) ? currentStep(here, step) : step)
        here = Reflect.get(Object(here), step)
      }
      return current
    },
  }
}

function currentStep(schema: Keywords, step: string): string {
  if (!hasItemList(schema)) return step
  return step === 'items' ? 'prefixItems' : step === 'additionalItems' ? 'items' : step
}

function* partsOf(
  schema: Keywords,
): Generator<{ readonly steps: readonly string[]; readonly part: unknown }> {
  for (const keyword of PARTS) {
    const value = schema[keyword]
    if (isRecord(value)) yield { steps: [keyword], part: value }
    for (const [place, part] of listOf(value).entries()) yield { steps: [keyword, String(place)], part }
  }
  for (const keyword of MAPS) {
    const value = schema[keyword]
    if (!isRecord(value)) continue
    for (const [name, part] of Object.entries(value)) yield { steps: [keyword, name], part }
  }
}

/** The absolute address of `reference`, undefined if it is not an address, and its decoded fragment. */
function split(reference: string, base: string): [address: string | undefined, fragment: string] {
  const hash = reference.indexOf('#')
  const path = hash === -1 ? reference : reference.slice(0, hash)
  const fragment = hash === -1 ? '' : decoded(reference.slice(hash + 1))
  return [path === '' ? base : URL.parse(path, base)?.href, fragment]
}

function draftAddress(schema: string): string {
  return schema.replace(/#$/, '')
}
