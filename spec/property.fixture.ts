// For tests: properties that hold for all values. A failure prints the seed and the smallest values that break it.
import * as fc from 'fast-check'

export { fc }

/** The arbitraries of some values, and a check that throws for values that break the property. */
type Property<Values extends [unknown, ...unknown[]], Result> = [
  ...arbitraries: { [Place in keyof Values]: fc.Arbitrary<Values[Place]> },
  check: (...values: Values) => Result,
]

/** `npm test` tries a part of the values, unless they are few; `npm run test:all` tries all (`vitest.config.ts`). */
const SHARE = Number(process.env['PROPERTY_SHARE'] ?? 1)
const FEW_RUNS = 20

function sampled<Values>({ numRuns = 100, ...others }: fc.Parameters<Values>): fc.Parameters<Values> {
  return { ...others, numRuns: Math.min(numRuns, Math.max(FEW_RUNS, Math.ceil(numRuns * SHARE))) }
}

export function forAll<Values extends [unknown, ...unknown[]]>(...property: Property<Values, void>): void {
  forAllWith({}, ...property)
}

/** Asserts a property with parameters such as `numRuns`, which is 100 otherwise. */
export function forAllWith<Values extends [unknown, ...unknown[]]>(
  parameters: fc.Parameters<Values>,
  ...property: Property<Values, void>
): void {
  fc.assert(fc.property(...property), sampled(parameters))
}

export function forAllAsync<Values extends [unknown, ...unknown[]]>(
  ...property: Property<Values, Promise<void>>
): Promise<void> {
  return forAllAsyncWith({}, ...property)
}

export function forAllAsyncWith<Values extends [unknown, ...unknown[]]>(
  parameters: fc.Parameters<Values>,
  ...property: Property<Values, Promise<void>>
): Promise<void> {
  return fc.assert(fc.asyncProperty(...property), sampled(parameters))
}
