// The members and the items of one value that keywords have evaluated, for `unevaluatedProperties` and `unevaluatedItems`.

export class Seen {
  readonly names: Set<string> = new Set()
  readonly places: Set<number> = new Set()

  addAll(other: Seen | undefined): void {
    for (const name of other?.names ?? []) this.names.add(name)
    for (const place of other?.places ?? []) this.places.add(place)
  }
}
