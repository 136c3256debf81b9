// A JSON value for a JSON Schema, always the same one: the answer of the echo model if an answer must match a schema.
// It has every property and one item in each list, as a test of a client's parser; if the schema does not allow that,
// it is about the smallest. If no value is found, the error names the keyword.
import { quoted } from '../../../../spec/protocol/key.ts'
import { TooMuchEffort } from '../grammar/effort.ts'
import { SchemaProblem } from '../../schema-problem.ts'
import type { Fault, Validate } from '../validation/validator.ts'
import { candidatesOf, type Search } from './candidates.ts'

/** Maximum size of the values that one search validates: their characters, and 1000 for each value. */
const MAX_VALIDATED = 200_000

/** The searches, in the order in which they are tried; the last ones only for schemas that may contain themselves. */
const SEARCHES: readonly Search[] = [
  { isFull: true, repeats: 0 },
  { isFull: false, repeats: 0 },
  { isFull: false, repeats: 0, avoid: 'branches' },
  { isFull: false, repeats: 0, avoid: 'nothing' },
]
const RECURSIVE_SEARCHES: readonly Search[] = [
  { isFull: false, repeats: 1 },
  { isFull: false, repeats: 4 },
]

/** The values that are tried if the search finds none. */
const SIMPLEST = [{}, null, '', 0, true, []]

/** Returns a value that the compiled schema accepts. Throws `SchemaProblem` with the keyword that no value satisfied. */
export function instanceOf(validate: Validate): unknown {
  const { schema } = validate
  let problem: Fault | undefined
  const isRecursive = JSON.stringify(schema).includes('"$ref"')
  for (const search of [...SEARCHES, ...(isRecursive ? RECURSIVE_SEARCHES : [])]) {
    try {
      let room = MAX_VALIDATED
      for (const candidate of search.isFull ? trimmed(validate, search) : candidatesOf(schema, search)) {
        if (validate(candidate)) return candidate
        problem ??= validate.errors[0]
        room -= 1000 + JSON.stringify(candidate).length
        if (room < 0) break
      }
    } catch (error) {
      if (!(error instanceof TooMuchEffort)) throw error
    }
  }
  for (const value of SIMPLEST) {
    if (validate(value)) return value
    const [fault] = validate.errors
    // A wrong type is reported only if no value of the right type was refused.
    if (problem === undefined || (problem.keyword === 'type' && fault?.keyword !== 'type')) problem = fault
  }
  const { keyword, schemaPath: place = '#' } = problem ?? {}
  const what = keyword === undefined ? 'the schema' : `'${keyword}'`
  throw new SchemaProblem(keyword, `no value was found that satisfies ${what} at ${quoted(place, 200)}`)
}

/** The candidates, after those without the optional parts in which `validate` finds errors. */
function* trimmed(validate: Validate, search: Search): Generator<unknown> {
  const optional = new Set<string>()
  const omitted = new Set<string>()
  for (let before = -1; omitted.size > before;) {
    before = omitted.size
    const { value, done } = candidatesOf(validate.schema, search, { optional, omitted }).next()
    if (done === true) return
    yield value
    for (const { instancePath } of validate.errors) {
      let path = instancePath
      while (path !== '' && !optional.has(path)) path = path.slice(0, path.lastIndexOf('/'))
      if (path !== '') omitted.add(path)
    }
  }
  yield* candidatesOf(validate.schema, search)
}
