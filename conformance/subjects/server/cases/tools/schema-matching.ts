// Whether a value matches a JSON schema, by exact numbers. A schema of a program may never come to an end: its time is bounded.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { bounds } from '../../../../../harness/bounds/bounds.ts'
import { TookTooLong, withinTime } from '../../../../../harness/bounds/within-time.ts'
import { memoizePer } from '../../../../../harness/memoize.ts'
import { type Exchange } from '../../../../../harness/http/exchange.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { isRecord, show } from '../../../../../harness/json-value.ts'
import { withStandIns } from './stand-ins.ts'

const validatorOf = memoizePer((schema: object) =>
  // To validate the judge's own schemas takes longer than all the rest.
  new Ajv2020({ allErrors: false, strict: false, validateSchema: false, logger: false }).compile(schema),
)

/** Schemas of requests that were read last, by their text: programs send the same one with each request. */
const usable = new Map<string, object>()
const MOST_USABLE = 200

/** The longest schema of a program that is used, in characters. */
const MOST_SCHEMA_CHARS = 256 * 1024

/** The number of schemas that took too long after which no other one is used that can. */
const MOST_COSTLY = 10

/** The schemas that took too long, by their text: a recording may hold a pattern that never ends. */
const costly = new Set<string>()

/** The keywords whose evaluation can take longer than the schema and the value are long. */
const UNBOUNDED = /"(?:pattern|patternProperties|\$ref|\$dynamicRef|uniqueItems)"/

/** Returns the schema of a request, the same object for the same schema; undefined if it is not one that can be used. */
export function usableSchema(schema: unknown): object | undefined {
  if (!isRecord(schema)) return undefined
  try {
    const text = JSON.stringify(schema)
    if (costly.has(text) || text.length > MOST_SCHEMA_CHARS) return undefined
    if (costly.size >= MOST_COSTLY && UNBOUNDED.test(text)) return undefined
    const known = usable.get(text)
    if (known !== undefined) return known
    schemaMismatch(schema, null)
    if (costly.has(text)) return undefined
    if (usable.size >= MOST_USABLE) usable.clear()
    usable.set(text, schema)
    return schema
  } catch {
    return undefined
  }
}

const isUnbounded = memoizePer((schema: object) => UNBOUNDED.test(JSON.stringify(schema)))

/**
 * Returns why a value does not match its JSON schema, by exact numbers if both have them; undefined if it does, or if that takes too
 * long to say.
 */
export function schemaMismatch(schema: object, value: unknown): string | undefined {
  if (!isUnbounded(schema)) return mismatch(schema, value)
  try {
    return withinTime(bounds().schemaMs, () => mismatch(schema, value))
  } catch (error) {
    if (!(error instanceof TookTooLong)) throw error
    costly.add(JSON.stringify(schema))
    return undefined
  }
}

function mismatch(schema: object, value: unknown): string | undefined {
  const [own, given] = withStandIns([schema, value])
  const validate = validatorOf(Object(own))
  if (validate(given)) return undefined
  const [first] = validate.errors ?? []
  return `${first?.instancePath === '' ? 'the value' : first?.instancePath} ${first?.message}`
}

/** The values that `read` finds in an answer validate against a schema. */
export function validates(
  schema: object,
  what: string,
  read: (exchange: Exchange) => readonly unknown[],
): Verifier {
  return (exchange) => {
    for (const value of read(exchange)) {
      const mismatch = schemaMismatch(schema, value)
      if (mismatch !== undefined)
        return {
          expected: `${what} that validates against the schema`,
          actual: `${show(value)}: ${mismatch}`,
        }
    }
    return undefined
  }
}
