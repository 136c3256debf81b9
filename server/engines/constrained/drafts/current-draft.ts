// Translates schemas of older drafts to draft 2020-12, the only one that all other code reads. A schema that names no
// draft may have old forms that have no other meaning in later drafts, such as a list as `items`.
import { isExactNumber } from '../../../../spec/protocol/exact-json.ts'
import { quoted } from '../../../../spec/protocol/key.ts'
import { isRecord } from '../../../../spec/schemas/collections.ts'
import { type Schema, SchemaProblem } from '../../schema-problem.ts'
import { hasItemList, isUnknown } from './drafts.ts'
import { readReferences, type References } from './references.ts'
import { type Keywords, pointerOf } from '../schema/schema-keywords.ts'

/** The names that references replace; they are removed because they would change the base of the pointers. */
const NAMES = new Set(['$id', '$anchor', '$dynamicAnchor'])

/** The only keywords that count beside `$ref` in draft 7 and older: they constrain nothing. */
const BESIDE_REF = new Set(['$ref', 'definitions', '$defs'])

/**
 * The schema of draft 2020-12 that accepts the same values as `schema`, whose references are pointers from its root. Throws
 * `SchemaProblem` if it names an unknown draft, or if a reference leads nowhere.
 */
export function inCurrentDraft(schema: Schema): Schema {
  if (typeof schema === 'boolean') return schema
  const references = readReferences(schema)
  const { $schema: _, ...current } = translated(schema, references)
  const metaSchemas = Array.from(references.metaSchemas, ([each, name]) => [
    name,
    translated(each, references),
  ])
  if (metaSchemas.length === 0) return current
  return { ...current, $defs: { ...Object(current['$defs']), ...Object.fromEntries(metaSchemas) } }
}

/** A copy of `value`, in which the schemas are translated. */
function copied(value: unknown, references: References): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => copied(each, references))
  if (!isRecord(value) || isExactNumber(value)) return value
  if (references.draftAt(value) !== undefined) return translated(value, references)
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copied(each, references)]))
}

function translated(schema: Keywords, references: References): Keywords {
  const draft = references.draftAt(schema) ?? 2020
  const isReference = typeof schema['$ref'] === 'string'
  const pairs = Object.entries(schema).flatMap(([keyword, value]): [string, unknown][] => {
    if (isUnknown(keyword, draft) || (NAMES.has(keyword) && typeof value === 'string')) return []
    if (isReference && draft <= 7 && !BESIDE_REF.has(keyword)) return []
    switch (keyword) {
      case '$ref':
        return [[keyword, isReference ? reference(schema, references) : value]]
      case 'minimum':
      case 'maximum':
        return schema[EXCLUSIVE[keyword]] === true ? [[EXCLUSIVE[keyword], value]] : [[keyword, value]]
      case 'exclusiveMinimum':
      case 'exclusiveMaximum':
        return typeof value === 'boolean' ? [] : [[keyword, value]]
      case 'items':
        return [[hasItemList(schema) ? 'prefixItems' : keyword, copied(value, references)]]
      case 'additionalItems':
        return hasItemList(schema) ? [['items', copied(value, references)]] : []
      default:
        return [[keyword, copied(value, references)]]
    }
  })
  return Object.fromEntries(pairs)
}

const EXCLUSIVE = { minimum: 'exclusiveMinimum', maximum: 'exclusiveMaximum' } as const

function reference(schema: Keywords, references: References): string {
  const steps = references.stepsFrom(schema)
  if (steps !== undefined) return pointerOf(steps)
  throw new SchemaProblem('$ref', `'${quoted(String(schema['$ref']), 100)}' leads nowhere`)
}
