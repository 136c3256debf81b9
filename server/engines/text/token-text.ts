// Turns a stream of tokens into text of whole characters. A token may be any bytes, so a character may have several
// tokens; its beginning is kept until it is complete.

/** The text of `tokens` after the tokens `before`; U+FFFD replaces bytes that are not a whole character. */
export type Detokenize<T> = (tokens: readonly T[], before: readonly T[]) => string

/** The bytes that a UTF-8 character has at most, and so the tokens that it can be spread over. */
const CHARACTER_BYTES = 4

/** The number of preceding tokens by which a tokenizer decides whether the next one begins with a space. */
const TOKENS_BEFORE = 4

/** `before`: the last tokens of the prompt. */
export function createTokenText<T>(detokenize: Detokenize<T>, before: readonly T[] = []) {
  let released = before.slice(-TOKENS_BEFORE)
  /** The tokens since the text last ended with a whole character, and the returned length of their text. */
  let held: T[] = []
  let given = 0
  /** The tokens since a character was last completed. */
  let waiting = 0

  function release(): void {
    released = [...released, ...held].slice(-TOKENS_BEFORE)
    held = []
    given = 0
    waiting = 0
  }

  return {
    /** Takes the next token and returns the whole characters that are certain by now. */
    push(token: T): string {
      held.push(token)
      waiting += 1
      const text = detokenize(held, released)
      const whole = withoutUnfinished(text)
      const from = given
      if (whole.length > given) {
        given = whole.length
        // This token may complete one character and begin another.
        waiting = 1
      }
      if (whole.length < text.length && waiting < CHARACTER_BYTES) return whole.slice(from)
      release()
      return text.slice(from)
    },
    /** Ends the text: returns the rest, without an incomplete character. */
    flush(): string {
      const rest = withoutUnfinished(detokenize(held, released)).slice(given)
      release()
      return rest
    },
  }
}

function withoutUnfinished(text: string): string {
  return text.replace(/\uFFFD+$/, '')
}
