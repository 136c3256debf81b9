// Keeps texts and the log-probabilities of their tokens together: each returned piece has whole tokens with exactly
// their entries, although incomplete characters and stop strings delay text.

export interface LogprobPiece<E> {
  readonly text: string
  readonly entries: readonly E[]
}

export function createLogprobText<E>() {
  /** Tokens that were not returned yet, each with the range of its text. */
  let waiting: { readonly entry: E; readonly from: number; readonly to: number }[] = []
  let generated = 0
  let shown = ''
  /** The position of `shown` in the whole text. */
  let start = 0

  function take(count: number, to: number): LogprobPiece<E> {
    const piece = {
      text: shown.slice(0, to - start),
      entries: waiting.slice(0, count).map(({ entry }) => entry),
    }
    waiting = waiting.slice(count)
    shown = shown.slice(to - start)
    start = to
    return piece
  }

  return {
    /** Adds a generated token: its entry, and the length of the whole text with it, in UTF-16 units. */
    token(entry: E, length: number): void {
      waiting.push({ entry, from: generated, to: length })
      generated = length
    },
    /** Adds text that may be shown. Returns the tokens that are complete with it. */
    push(text: string): LogprobPiece<E> {
      shown += text
      const until = start + shown.length
      // A token without text, such as a part of a character, is returned with the text that follows it.
      const last = waiting.findLastIndex(({ from, to }) => to <= until && from < to)
      return last === -1 ? { text: '', entries: [] } : take(last + 1, waiting[last]?.to ?? start)
    },
    /** Ends the text: returns the rest, without tokens after its end, such as those of an incomplete character. */
    end(): LogprobPiece<E> {
      const until = start + shown.length
      return take(waiting.filter(({ from }) => from < until).length, until)
    },
  }
}
