// Memoization: what is computed once and shared by all who ask.

/**
 * Runs an asynchronous function at the first call; every call shares that result. A failure is shared by those who
 * wait for it and kept for nobody: the next call computes again.
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
    const known = made.get(key) ?? { value: make(key) }
    made.set(key, known)
    return known.value
  }
}
