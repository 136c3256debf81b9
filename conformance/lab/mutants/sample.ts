// A sample that a seed draws.
import { createHash } from 'node:crypto'

/** Draws `count` of these, the same for the same seed; a new one replaces at most one of them. */
export function sampleOf<Item extends { readonly id: string }>(
  items: readonly Item[],
  count: number,
  seed: number,
): readonly Item[] {
  const rank = ({ id }: Item): string => createHash('sha256').update(`${seed} ${id}`).digest('hex')
  const ranks = new Map(items.map((item) => [rank(item), item]))
  const drawn = new Set([...ranks.keys()].toSorted().slice(0, count))
  return [...ranks].flatMap(([place, item]) => (drawn.has(place) ? [item] : []))
}
