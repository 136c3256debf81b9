// Joins producers that push to one consumer that iterates. It keeps all values that the consumer has not taken, so
// their number must be bounded, as that of an answer is by its context.

export function createChannel<T>() {
  let values: T[] = []
  let last: { readonly error?: unknown } | undefined
  let wake = () => {}

  return {
    push(value: T): void {
      values.push(value)
      wake()
    },
    /** Ends the values: `next` is done after all pushed values. */
    end(): void {
      last ??= {}
      wake()
    },
    /** Lets `next` reject with `error` after all pushed values. */
    fail(error: unknown): void {
      last ??= { error }
      wake()
    },
    /** All values pushed since the last call, together. One call at a time. */
    async next(): Promise<IteratorResult<readonly T[]>> {
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
