// Validates JSON values by a schema of draft 2020-12, whose references are pointers. Numbers are compared exactly,
// members by the names that an object itself has, and each keyword is evaluated as the standard demands or refused by
// its name. Whole, because a reader compares the keywords with the sections of the standard.
import { isRecord } from '../../../../spec/schemas/collections.ts'
import { type Schema, SchemaProblem } from '../../schema-problem.ts'
import { isJsonNumber, nearest } from '../grammar/decimal.ts'
import { isOfType } from '../schema/json-types.ts'
import { type Keywords, listOf, targetOf } from '../schema/schema-keywords.ts'
import { assertionsOf, type PatternTest } from './assertions.ts'
import { Seen } from './seen.ts'

/** A keyword that refuses a part of a value. */
export interface Fault {
  /** Undefined if the whole schema is `false`. */
  readonly keyword: string | undefined
  /** The pointer of the keyword in the schema, for example `#/properties/a/type`. */
  readonly schemaPath: string
  /** The pointer of the part in the value. */
  readonly instancePath: string
}

/** Whether the schema accepts a value; `errors` has all faults of the last one. */
export interface Validate {
  (value: unknown): boolean
  readonly schema: Schema
  errors: readonly Fault[]
}

/** Adds the faults of the value at the pointer `at`, and records the members and items that it evaluates. */
type Check = (value: unknown, at: string, faults: Fault[], seen: Seen | undefined) => unknown

/** References whose target depends on the path to them. */
const DYNAMIC = ['$dynamicRef', '$recursiveRef']

export interface ValidatorOptions {
  readonly patternTest: PatternTest
  /** Whether dynamic references are ignored instead of refused. Default: false. */
  readonly ignoresDynamic?: boolean
}

/** Compiles `root`, which is valid. Throws `SchemaProblem` for what cannot be evaluated. */
export function createValidator(
  root: Schema,
  { patternTest, ignoresDynamic = false }: ValidatorOptions,
): Validate {
  const compiled = new Map<object, Check>()
  const isRecorded = JSON.stringify(root).includes('"unevaluated')
  /** Undefined if no keyword needs it. */
  const newSeen = (): Seen | undefined => (isRecorded ? new Seen() : undefined)
  const check = compile(root, '#')
  const validate: Validate = Object.assign(
    (value: unknown) => {
      const faults: Fault[] = []
      check(value, '', faults, newSeen())
      validate.errors = faults
      return faults.length === 0
    },
    { schema: root, errors: [] },
  )
  return validate

  function compile(schema: unknown, path: string): Check {
    if (schema === false)
      return (_value, at, faults) =>
        faults.push({ keyword: holderOf(path), schemaPath: path, instancePath: at })
    if (!isRecord(schema)) return () => {}
    const known = compiled.get(schema)
    if (known !== undefined) return known
    // A schema may contain itself.
    let checks: readonly Check[] = []
    const run: Check = (value, at, faults, seen) => {
      for (const each of checks) each(value, at, faults, seen)
    }
    compiled.set(schema, run)
    checks = [
      ...assertionsOf(schema, patternTest).map(([keyword, holds]) => failing(keyword, path, holds)),
      ...applicators(schema, path),
      ...arrays(schema, path),
      ...objects(schema, path),
    ]
    const last = unevaluated(schema, path)
    if (last.length > 0) {
      const before = checks
      // `unevaluated…` considers what the keywords beside it have evaluated, but not what outer schemas have.
      checks = [
        (value, at, faults, seen) => {
          const own = newSeen()
          for (const each of [...before, ...last]) each(value, at, faults, own)
          seen?.addAll(own)
        },
      ]
    }
    // A single check is used directly, so that a schema that is only a reference costs nothing.
    const [only = run, ...others] = checks
    if (others.length > 0) return run
    compiled.set(schema, only)
    return only
  }

  /** The check of `keyword` that adds a fault where `holds` is false. */
  function failing(keyword: string, path: string, holds: (value: unknown) => boolean): Check {
    return (value, at, faults) => {
      if (!holds(value)) faults.push({ keyword, schemaPath: `${path}/${keyword}`, instancePath: at })
    }
  }

  /** The keywords that apply other schemas to the same value. */
  function applicators(schema: Keywords, path: string): Check[] {
    const checks: Check[] = []
    for (const keyword of DYNAMIC)
      if (keyword in schema && !ignoresDynamic)
        throw new SchemaProblem(keyword, 'this server does not follow it')
    const pointer = schema['$ref']
    if (typeof pointer === 'string') checks.push(compile(resolved(pointer), pointer))
    const parts = (keyword: string) =>
      listOf(schema[keyword]).map((part, place) => compile(part, `${path}/${keyword}/${place}`))
    if ('not' in schema) {
      const not = compile(schema['not'], `${path}/not`)
      checks.push(failing('not', path, (value) => faultsOf(not, value, '').length > 0))
    }
    if ('anyOf' in schema) checks.push(counted('anyOf', path, parts('anyOf'), (matching) => matching > 0))
    if ('oneOf' in schema) checks.push(counted('oneOf', path, parts('oneOf'), (matching) => matching === 1))
    checks.push(...parts('allOf'))
    if ('if' in schema) {
      const condition = compile(schema['if'], `${path}/if`)
      const [then, otherwise] = ['then', 'else'].map((each) => compile(schema[each], `${path}/${each}`))
      checks.push((value, at, faults, seen) => {
        const own = newSeen()
        const holds = faultsOf(condition, value, at, own).length === 0
        if (holds) seen?.addAll(own)
        const before = faults.length
        const branch = holds ? then : otherwise
        branch?.(value, at, faults, seen)
        if (faults.length > before) faults.push({ keyword: 'if', schemaPath: `${path}/if`, instancePath: at })
      })
    }
    return checks
  }

  /** A check by the number of branches that accept the value; if it fails, the faults of the branches come first. */
  function counted(
    keyword: string,
    path: string,
    branches: readonly Check[],
    isEnough: (matching: number) => boolean,
  ): Check {
    return (value, at, faults, seen) => {
      const found: Fault[] = []
      let matching = 0
      for (const branch of branches) {
        const own = newSeen()
        const more = faultsOf(branch, value, at, own)
        found.push(...more)
        if (more.length > 0) continue
        matching += 1
        seen?.addAll(own)
      }
      if (isEnough(matching)) return
      faults.push(...found, { keyword, schemaPath: `${path}/${keyword}`, instancePath: at })
    }
  }

  function faultsOf(check: Check, value: unknown, at: string, seen = newSeen()): Fault[] {
    const faults: Fault[] = []
    check(value, at, faults, seen)
    return faults
  }

  function arrays(schema: Keywords, path: string): Check[] {
    const checks: Check[] = []
    const prefix = listOf(schema['prefixItems']).map((part, place) =>
      compile(part, `${path}/prefixItems/${place}`),
    )
    const rest = 'items' in schema ? compile(schema['items'], `${path}/items`) : undefined
    if (prefix.length > 0 || rest !== undefined)
      checks.push((value, at, faults, seen) => {
        if (!Array.isArray(value)) return
        for (const [place, item] of value.entries()) {
          const check = prefix[place] ?? rest
          if (check === undefined) break
          check(item, `${at}/${place}`, faults, newSeen())
          seen?.places.add(place)
        }
      })
    if (!('contains' in schema)) return checks
    const contained = compile(schema['contains'], `${path}/contains`)
    const { minContains: least, maxContains: most } = schema
    const min = isJsonNumber(least) ? nearest(least) : 1
    const max = isJsonNumber(most) ? nearest(most) : Infinity
    checks.push((value, at, faults, seen) => {
      if (!Array.isArray(value)) return
      let matching = 0
      for (const [place, item] of value.entries()) {
        if (faultsOf(contained, item, `${at}/${place}`).length > 0) continue
        matching += 1
        seen?.places.add(place)
      }
      const keyword = matching < min ? 'contains' : 'maxContains'
      if (matching < min || matching > max)
        faults.push({ keyword, schemaPath: `${path}/${keyword}`, instancePath: at })
    })
    return checks
  }

  function objects(schema: Keywords, path: string): Check[] {
    const checks: Check[] = []
    const ofObject = (
      keyword: string,
      check: (value: Keywords, at: string, faults: Fault[], seen: Seen | undefined, fail: () => void) => void,
    ) =>
      checks.push((value, at, faults, seen) => {
        if (!isObject(value)) return
        const fail = () => faults.push({ keyword, schemaPath: `${path}/${keyword}`, instancePath: at })
        check(value, at, faults, seen, () => void fail())
      })
    const required = listOf(schema['required']).map(String)
    if (required.length > 0)
      ofObject('required', (value, _at, _faults, _seen, fail) => {
        if (required.some((name) => !Object.hasOwn(value, name))) fail()
      })
    for (const keyword of ['dependentRequired', 'dependencies', 'dependentSchemas'])
      for (const [name, dependent] of entriesOf(schema[keyword])) {
        const check = Array.isArray(dependent)
          ? undefined
          : compile(dependent, `${path}/${keyword}/${escaped(name)}`)
        ofObject(keyword, (value, at, faults, seen, fail) => {
          if (!Object.hasOwn(value, name)) return
          if (check !== undefined) check(value, at, faults, seen)
          else if (listOf(dependent).some((other) => !Object.hasOwn(value, String(other)))) fail()
        })
      }
    if ('propertyNames' in schema) {
      const check = compile(schema['propertyNames'], `${path}/propertyNames`)
      ofObject('propertyNames', (value, at, faults, _seen, fail) => {
        for (const name of Object.keys(value)) {
          const before = faults.length
          check(name, at, faults, newSeen())
          if (faults.length > before) fail()
        }
      })
    }
    const named = new Map(
      entriesOf(schema['properties']).map(([name, part]) => [
        name,
        compile(part, `${path}/properties/${escaped(name)}`),
      ]),
    )
    const patterns = entriesOf(schema['patternProperties']).map(([source, part]) => ({
      matches: patternTest(source),
      check: compile(part, `${path}/patternProperties/${escaped(source)}`),
    }))
    const others =
      'additionalProperties' in schema
        ? compile(schema['additionalProperties'], `${path}/additionalProperties`)
        : undefined
    if (named.size + patterns.length > 0 || others !== undefined)
      ofObject('properties', (value, at, faults, seen) => {
        for (const [name, member] of Object.entries(value)) {
          const own = named.get(name)
          const matching = patterns.filter(({ matches }) => matches(name)).map(({ check }) => check)
          if (own !== undefined) matching.unshift(own)
          if (matching.length === 0 && others !== undefined) matching.push(others)
          if (matching.length > 0) seen?.names.add(name)
          for (const check of matching) check(member, `${at}/${escaped(name)}`, faults, newSeen())
        }
      })
    return checks
  }

  function unevaluated(schema: Keywords, path: string): Check[] {
    const checks: Check[] = []
    if ('unevaluatedItems' in schema) {
      const check = compile(schema['unevaluatedItems'], `${path}/unevaluatedItems`)
      checks.push((value, at, faults, seen) => {
        if (!Array.isArray(value)) return
        for (const [place, item] of value.entries())
          if (seen?.places.has(place) !== true) check(item, `${at}/${place}`, faults, newSeen())
        value.forEach((_, place) => seen?.places.add(place))
      })
    }
    if ('unevaluatedProperties' in schema) {
      const check = compile(schema['unevaluatedProperties'], `${path}/unevaluatedProperties`)
      checks.push((value, at, faults, seen) => {
        if (!isObject(value)) return
        for (const [name, member] of Object.entries(value)) {
          if (seen?.names.has(name) !== true) check(member, `${at}/${escaped(name)}`, faults, newSeen())
          seen?.names.add(name)
        }
      })
    }
    return checks
  }

  function resolved(pointer: string): unknown {
    const target = targetOf(root, pointer)
    if (target === undefined) throw new SchemaProblem('$ref', `'${pointer}' leads nowhere`)
    return target
  }
}

/** Keywords whose schemas have a name or an index of their own. */
const HOLDERS = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  '$defs',
  'definitions',
  'prefixItems',
  'allOf',
  'anyOf',
  'oneOf',
])

/** The keyword whose schema is at `path`; undefined for the root. */
function holderOf(path: string): string | undefined {
  const [last, before = ''] = path.split('/').slice(1).toReversed()
  return HOLDERS.has(before) ? before : last
}

function isObject(value: unknown): value is Keywords {
  return isOfType(value, 'object')
}

function entriesOf(map: unknown): [string, unknown][] {
  return isRecord(map) ? Object.entries(map) : []
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
