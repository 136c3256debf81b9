// Joins producers that push to one consumer that iterates. It holds what the consumer has not taken yet, so what is
// pushed must be bounded by itself, as an answer is by its context.

export interface Channel<T> {
  push(value: T): void
  /** Nothing more comes: `next` is done after what was pushed. */
  end(): void
  /** `next` rejects with `error` after what was pushed. */
  fail(error: unknown): void
  /** All values pushed since the last call, together. One call at a time. */
  next(): Promise<IteratorResult<readonly T[]>>
}

export function createChannel<T>(): Channel<T> {
  let values: T[] = []
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
    async next() {
      while (values.length === 0 && last === undefined) await new Promise<void>((resolve) => (wake = resolve))
      if (values.length > 0) {
        const value = values
        values = []
        return { done: false, value }
      }
      if (last !== undefined && 'error' in last) throw last.error
      return { done: true, value: undefined }
    },
  }
}
