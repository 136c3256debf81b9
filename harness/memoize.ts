// Memoization: computes a value once and shares it between all callers.

/**
 * Runs an asynchronous function at the first call; all calls share its result. A failure is shared by the waiting calls
 * only: the next call computes again.
 */
export function memoize<Value>(compute: () => Promise<Value>): () => Promise<Value> {
  let result: Promise<Value> | undefined
  return () => {
    result ??= compute().catch((error: unknown) => {
      result = undefined
      throw error
    })
    return result
  }
}

/** Computes a value for each object at the first call, and returns the same from then on. */
export function memoizePer<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, { readonly value: Value }>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known.value
    const value = make(key)
    made.set(key, { value })
    return value
  }
}
