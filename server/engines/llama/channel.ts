// Joins producers that push to one consumer that iterates. It holds what the consumer has not taken yet, so what is
// pushed must be bounded by itself, as an answer is by its context.

/** Yields together all values pushed since the last read. */
export interface Channel<T> extends AsyncIterable<readonly T[]> {
  push(value: T): void
  /** Nothing more comes: the iteration ends after what was pushed. */
  end(): void
  /** The iteration throws `error` after what was pushed. */
  fail(error: unknown): void
}

/** A channel for one iteration. */
export function createChannel<T>(): Channel<T> {
  let values: T[] = []
  let last: { readonly error?: unknown } | undefined
  let wake = () => {}

  async function next(): Promise<IteratorResult<readonly T[]>> {
    while (values.length === 0 && last === undefined) await new Promise<void>((resolve) => (wake = resolve))
    if (values.length > 0) {
      const value = values
      values = []
      return { done: false, value }
    }
    if (last !== undefined && 'error' in last) throw last.error
    return { done: true, value: undefined }
  }

  return {
    push(value) {
      values.push(value)
      wake()
    },
    end() {
      last ??= {}
      wake()
    },
    fail(error) {
      last ??= { error }
      wake()
    },
    [Symbol.asyncIterator]: () => ({ next }),
  }
}
