// Covering arrays: a few rows of settings, so that any two settings that may be together are together in one row. The same
// seed gives the same rows.

/** A value of a factor. */
export interface Setting {
  readonly factor: string
  readonly value: string
}

/** The value of a factor that a row leaves out. A pair with it needs no row. */
export const ABSENT = ''

/** The values of each factor. */
export type Factors = Readonly<Record<string, readonly string[]>>

/** One setting of each factor. */
export type Settings = readonly Setting[]

export interface Rules {
  /** Whether two settings may not be in one row, in either order. */
  readonly excludes?: (one: Setting, other: Setting) => boolean
  /** Whether `other` has no effect beside `one`: a row with both covers no pair of `other` with a third setting. */
  readonly hides?: (one: Setting, other: Setting) => boolean
}

/** The number of rows that are tried for an uncovered pair; the one that covers the most pairs is used. */
const CANDIDATES = 8

/** Returns rows that cover each pair of present settings of two factors, unless no row may have that pair. */
export function coveringArray(factors: Factors, rules: Rules, seed: number): readonly Settings[] {
  const { excludes = () => false, hides = () => false } = rules
  const random = randomFrom(seed)
  const areApart = (one: Setting, other: Setting): boolean => excludes(one, other) || excludes(other, one)
  const settings = Object.entries(factors).flatMap(([factor, values]) =>
    values.map((value): Setting => ({ factor, value })),
  )
  const present = settings.filter(({ value }) => value !== ABSENT)
  const pairs = present.flatMap((one, place) =>
    present
      .slice(place + 1)
      .filter((other) => one.factor !== other.factor && !areApart(one, other))
      .map((other): readonly [Setting, Setting] => [one, other]),
  )
  const open = new Set(pairs)

  const shows = (row: Settings, pair: readonly Setting[]): boolean =>
    pair.every((setting) => row.includes(setting)) &&
    !row.some((third) => !pair.includes(third) && pair.some((setting) => hides(third, setting)))
  const coveredBy = (row: Settings) => [...open].filter((pair) => shows(row, pair))
  const mostCoveringFirst = (rows: readonly Settings[]): readonly Settings[] =>
    rows
      .map((row) => ({ row, covered: coveredBy(row).length }))
      .toSorted((one, other) => other.covered - one.covered)
      .map(({ row }) => row)

  /** Completes a row that still shows the pair, with settings in random order; undefined if there is none. */
  function complete(row: Settings, pair: readonly Setting[], left: readonly string[]): Settings | undefined {
    const [factor, ...others] = left
    if (factor === undefined) return row
    const own = settings.filter((setting) => setting.factor === factor)
    const allowed = own.filter((setting) => !row.some((present) => areApart(present, setting)))
    const rows = shuffled(allowed).map((setting) => row.concat(setting))
    for (const next of mostCoveringFirst(rows)) {
      const whole = shows(next, pair) ? complete(next, pair, others) : undefined
      if (whole !== undefined) return whole
    }
    return undefined
  }
  const shuffled = <Item>(items: readonly Item[]): readonly Item[] =>
    items
      .map((item) => ({ item, rank: random() }))
      .toSorted((one, other) => one.rank - other.rank)
      .map(({ item }) => item)

  return pairs.flatMap((pair) => {
    if (!open.has(pair)) return []
    const left = Object.keys(factors).filter((factor) => pair.every((setting) => setting.factor !== factor))
    const candidates = Array.from({ length: CANDIDATES }, () => complete(pair, pair, shuffled(left)))
    const [best] = mostCoveringFirst(candidates.filter((row) => row !== undefined))
    for (const covered of coveredBy(best ?? [])) open.delete(covered)
    return best === undefined ? [] : [best]
  })
}

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32
  }
}
