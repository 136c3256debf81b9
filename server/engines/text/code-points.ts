// Text by code points, without an array of them, which for megabytes of text would take a second and much memory.

/** The most units of a short text. */
const SHORT = 64

/** The number of code points of a text; a lone surrogate is one. */
export function countCodePoints(text: string): number {
  let count = text.length
  // The size in UTF-8 comes from a fast native function and identifies ASCII; for a short text the loop is faster.
  if (count > SHORT && Buffer.byteLength(text) === count) return count
  for (let index = 1; index < text.length; index += 1) {
    if (isLow(text.charCodeAt(index)) && isHigh(text.charCodeAt(index - 1))) count -= 1
  }
  return count
}

/** The first `most` code points. */
export function firstCodePoints(text: string, most: number): string {
  return most >= text.length ? text : text.slice(0, endAfter(text, 0, most))
}

/** The text in chunks of `size` code points; the last may be shorter. */
export function* chunksOf(text: string, size: number): Generator<string> {
  for (let start = 0; start < text.length;) {
    const end = endAfter(text, start, size)
    yield text.slice(start, end)
    start = end
  }
}

/** The text without some code points. */
export function withoutCodePoints(text: string, removed: ReadonlySet<number>): string {
  if (removed.size === 0) return text
  let kept = ''
  let start = 0
  for (let index = 0; index < text.length;) {
    const code = text.codePointAt(index) ?? 0
    const next = index + (code > 0xffff ? 2 : 1)
    if (removed.has(code)) {
      kept += text.slice(start, index)
      start = next
    }
    index = next
  }
  return kept + text.slice(start)
}

/** The position after `count` code points from `start` on, or the end of the text. */
export function endAfter(text: string, start: number, count: number): number {
  if (count >= text.length - start) return text.length
  let end = start
  for (let taken = 0; taken < count && end < text.length; taken += 1)
    end += isHigh(text.charCodeAt(end)) && isLow(text.charCodeAt(end + 1)) ? 2 : 1
  return end
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}
