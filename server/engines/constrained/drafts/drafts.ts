// The drafts of JSON Schema, and the differences between them that this server translates.
import { SchemaProblem } from '../../schema-problem.ts'
import type { Keywords } from '../schema/schema-keywords.ts'

/** The number or the year of a draft: 2020 for draft 2020-12. */
export type Draft = 4 | 6 | 7 | 2019 | 2020

const NAMES: ReadonlyMap<string, Draft> = new Map([
  ['draft-04/schema', 4],
  ['draft-06/schema', 6],
  ['draft-07/schema', 7],
  ['draft/2019-09/schema', 2019],
  ['draft/2020-12/schema', 2020],
  ['schema', 2020],
])

/** The draft that `schema` names; 2020 if it names none. Throws `SchemaProblem` for an unknown one. */
export function draftOf({ $schema: name }: Keywords): Draft {
  if (name === undefined) return 2020
  const draft = NAMES.get(String(name).replace(/^https?:\/\/json-schema\.org\/|#$/g, ''))
  if (draft !== undefined) return draft
  throw new SchemaProblem('$schema', `expected draft-04, draft-06, draft-07, 2019-09 or 2020-12`)
}

/** The keywords that are new in a draft; an older one ignores them. */
const ADDED: readonly (readonly [Draft, readonly string[]])[] = [
  [6, ['const', 'contains', 'propertyNames']],
  [7, ['if', 'then', 'else']],
  [
    2019,
    [
      'dependentRequired',
      'dependentSchemas',
      'maxContains',
      'minContains',
      'unevaluatedItems',
      'unevaluatedProperties',
    ],
  ],
  [2020, ['prefixItems']],
]

/** Keywords to which draft 2020-12 gives no meaning, although its meta-schema or the validator knows them. */
const FOREIGN = new Set(['$async', '$recursiveAnchor', 'id', 'nullable'])

/** Whether `keyword` is dropped from a schema of `draft`, which gives it no meaning although the validator knows it. */
export function isUnknown(keyword: string, draft: Draft): boolean {
  return FOREIGN.has(keyword) || ADDED.some(([since, added]) => draft < since && added.includes(keyword))
}

/** Whether `items` is a list of schemas, which is `prefixItems` since 2020-12. */
export function hasItemList(schema: Keywords): boolean {
  return Array.isArray(schema['items'])
}
