// Recognises text byte by byte: from a state that came by some bytes, the states that one more byte leads to. States
// never change, so a token that does not fit is simply not gone along with.

/** What a text may be. Nodes may refer to themselves through `lazy`. */
export type Form =
  | { readonly type: 'bytes'; readonly low: number; readonly high: number }
  | { readonly type: 'all'; readonly parts: readonly Form[] }
  | { readonly type: 'one'; readonly parts: readonly Form[] }
  /** `part` from `min` to `max` times. */
  | { readonly type: 'repeat'; readonly part: Form; readonly min: number; readonly max: number }
  /** `least`, where it is known, is the fewest bytes that it takes; it is then not looked into for that. */
  | { readonly type: 'lazy'; readonly get: () => Form; readonly least?: number }

/** One byte from `low` to `high`. */
export const byte = (low: number, high = low): Form => ({ type: 'bytes', low, high })
export const all = (...parts: readonly Form[]): Form => ({ type: 'all', parts })
export const one = (...parts: readonly Form[]): Form => ({ type: 'one', parts })
export const repeat = (part: Form, min: number, max: number): Form => ({ type: 'repeat', part, min, max })
export const optional = (part: Form): Form => repeat(part, 0, 1)
export const lazy = (get: () => Form, least?: number): Form => ({
  type: 'lazy',
  get,
  ...(least === undefined ? {} : { least }),
})
/** Exactly this text, in UTF-8. */
export const literal = (text: string): Form => all(...Array.from(Buffer.from(text), (value) => byte(value)))

/** Ways that a text may go on, at most: a form with more at once is given up. */
const MAX_WAYS = 10_000
/** Steps to the next byte, at most: a form that begins with itself has no end of them. */
const MAX_DEPTH = 2000

/** What has still to come: `head`, then what `next` says; undefined for nothing. */
interface Rest {
  readonly head: Form
  readonly next: Rest | undefined
  /** Bytes that this takes at least. */
  readonly least: number
}

export interface FormState {
  /** The state after `bytes`, or undefined where the form does not admit them. */
  after(bytes: Iterable<number>): FormState | undefined
  /** Whether the text may end here. */
  readonly mayEnd: boolean
  /** Whether nothing more can come. */
  readonly mustEnd: boolean
  /** The first byte of the shortest way to an end; undefined where the text may end here. */
  nextByte(): number | undefined
}

/** The state before the first byte. Throws a `RangeError` where no text has the form. */
export function begin(form: Form): FormState {
  const lengths = new Lengths()
  if (lengths.of(form) === Infinity) throw new RangeError('no text has this form')

  function followed(head: Form, next: Rest | undefined): Rest {
    return { head, next, least: lengths.of(head) + (next?.least ?? 0) }
  }

  /** The ways through `rest` that begin with a byte; `undefined` among them where it may be empty. */
  function open(rest: Rest | undefined, ways: (Rest | undefined)[], depth = 0): void {
    if (ways.length > MAX_WAYS || depth > MAX_DEPTH)
      throw new RangeError('this form has too many ways to go on')
    if (rest === undefined) {
      ways.push(undefined)
      return
    }
    if (rest.least === Infinity) return
    const { head, next } = rest
    switch (head.type) {
      case 'bytes':
        ways.push(rest)
        return
      case 'all':
        open(
          head.parts.reduceRight((tail, part) => followed(part, tail), next),
          ways,
          depth + 1,
        )
        return
      case 'one':
        for (const part of head.parts) open(followed(part, next), ways, depth + 1)
        return
      case 'repeat': {
        const { part, min, max } = head
        // Once more first, where that takes a byte: an empty part repeated would never end.
        if (max > 0 && lengths.of(part) > 0)
          open(followed(part, followed(repeat(part, Math.max(0, min - 1), max - 1), next)), ways, depth + 1)
        if (min === 0) open(next, ways, depth + 1)
        return
      }
      case 'lazy':
        open(followed(head.get(), next), ways, depth + 1)
    }
  }

  function stateOf(ways: readonly (Rest | undefined)[]): FormState {
    return {
      mayEnd: ways.includes(undefined),
      mustEnd: ways.every((way) => way === undefined),
      after(bytes) {
        let here = ways
        for (const value of bytes) {
          const further: (Rest | undefined)[] = []
          for (const way of here) {
            if (way?.head.type === 'bytes' && way.head.low <= value && value <= way.head.high)
              open(way.next, further)
          }
          if (further.length === 0) return undefined
          here = further
        }
        return stateOf(here)
      },
      nextByte() {
        if (ways.includes(undefined)) return undefined
        const [first, ...others] = ways
        const shortest = others.reduce(
          (best, way) => ((way?.least ?? 0) < (best?.least ?? 0) ? way : best),
          first,
        )
        return shortest?.head.type === 'bytes' ? shortest.head.low : undefined
      },
    }
  }

  const ways: (Rest | undefined)[] = []
  open(followed(form, undefined), ways)
  return stateOf(ways)
}

/** Whether there is a text of this form. */
export function isPossible(form: Form): boolean {
  return new Lengths().of(form) < Infinity
}

/** The fewest bytes that a form takes, for forms that refer to themselves by ever better bounds. */
class Lengths {
  readonly #known = new Map<Form, number>()
  #changed = false

  of(form: Form): number {
    const known = this.#known.get(form)
    if (known !== undefined) return known
    if (form.type === 'repeat') return form.min === 0 ? 0 : form.min * this.of(form.part)
    do {
      this.#changed = false
      this.#visit(form, new Set())
    } while (this.#changed)
    return this.#known.get(form) ?? Infinity
  }

  #visit(form: Form, seen: Set<Form>): number {
    if (seen.has(form)) return this.#known.get(form) ?? Infinity
    seen.add(form)
    const least = this.#leastOf(form, seen)
    if (least !== (this.#known.get(form) ?? Infinity)) this.#changed = true
    this.#known.set(form, least)
    return least
  }

  #leastOf(form: Form, seen: Set<Form>): number {
    switch (form.type) {
      case 'bytes':
        return 1
      case 'all':
        return form.parts.reduce((sum, part) => sum + this.#visit(part, seen), 0)
      case 'one':
        return form.parts.reduce((least, part) => Math.min(least, this.#visit(part, seen)), Infinity)
      case 'repeat': {
        const least = this.#visit(form.part, seen)
        return form.min === 0 ? 0 : form.min * least
      }
      case 'lazy':
        return form.least ?? this.#visit(form.get(), seen)
    }
  }
}
