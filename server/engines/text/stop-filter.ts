// Cuts a growing text at the first stop string (WIRE-8). The result does not depend on the pieces of the text: text
// that may be part of a stop string is returned only when it certainly is not.

export type StopFilter = ReturnType<typeof createStopFilter>

/**
 * A filter for `stops`; empty strings among them stop nothing. The string that is complete first counts; of several
 * that end at the same character, the longest. Matching takes linear time, whatever the stop strings are.
 */
export function createStopFilter(stops: readonly string[]) {
  const patterns = stops.filter((stop) => stop !== '').map(createPattern)
  if (patterns.length === 0) return { push: (text: string) => ({ text, stopped: false }), flush: () => '' }

  let held = ''
  let stopped = false

  return {
    /**
     * Takes the next piece, whole characters, and returns the text that may now be shown. `stopped`: a stop string is
     * complete, the text ends before it, and no further text is returned.
     */
    push(text: string): { text: string; stopped: boolean } {
      if (stopped) return { text: '', stopped }
      const buffer = held + text
      let end = held.length
      // By characters, because a stop string that is half of a surrogate pair must not split a pair.
      for (const character of text) {
        end += character.length
        let length = 0
        for (const pattern of patterns) length = Math.max(length, pattern.advance(character))
        if (length === 0) continue
        held = ''
        stopped = true
        return { text: buffer.slice(0, end - length), stopped }
      }
      const open = buffer.length - Math.max(...patterns.map((pattern) => pattern.openLength()))
      held = buffer.slice(open)
      return { text: buffer.slice(0, open), stopped }
    },
    /** Returns the text held back at the end, which did not become a stop string. */
    flush(): string {
      const rest = held
      held = ''
      return rest
    },
  }
}

/** One stop string as a Knuth–Morris–Pratt automaton over characters. Lengths that it gives are in UTF-16 units. */
function createPattern(stop: string) {
  const characters = Array.from(stop)
  const fallbacks = fallbackTable(characters)
  const lengths = [0]
  for (const character of characters) lengths.push((lengths.at(-1) ?? 0) + character.length)
  let matched = 0
  return {
    /** The length of the longest end of the text so far that is a beginning of the stop string. */
    openLength: () => lengths[matched] ?? 0,
    /** Takes one character; returns the length of the stop string that it completes, otherwise 0. */
    advance(character: string): number {
      while (matched > 0 && characters[matched] !== character) matched = fallbacks[matched - 1] ?? 0
      if (characters[matched] === character) matched += 1
      return matched === characters.length ? stop.length : 0
    },
  }
}

/** The length of the longest shorter beginning that is also the end of each beginning of `characters`. */
function fallbackTable(characters: readonly string[]): readonly number[] {
  const table = [0]
  let length = 0
  for (const character of characters.slice(1)) {
    while (length > 0 && characters[length] !== character) length = table[length - 1] ?? 0
    if (characters[length] === character) length += 1
    table.push(length)
  }
  return table
}
