// Joins producers that push to one consumer that iterates. It holds what the consumer has not taken yet, so what is
// pushed must be bounded by itself, as an answer is by its context.

export interface Channel<T> extends AsyncIterable<T> {
  push(value: T): void
  /** Nothing more comes: the iteration ends after what was pushed. */
  end(): void
  /** The iteration throws `error` after what was pushed. */
  fail(error: unknown): void
}

/** A channel for one iteration. */
export function createChannel<T>(): Channel<T> {
  const values: T[] = []
  let last: { readonly error?: unknown } | undefined
  let wake = () => {}

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
    async *[Symbol.asyncIterator]() {
      for (;;) {
        yield* values.splice(0)
        if (values.length > 0) continue
        if (last !== undefined) {
          if ('error' in last) throw last.error
          return
        }
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}
