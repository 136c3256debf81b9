// Something that is learned once and shared by all who ask.

/** Runs an asynchronous function at the first call; every call shares that result. */
export function once<Value>(learn: () => Promise<Value>): () => Promise<Value> {
  let learned: Promise<Value> | undefined
  return () => (learned ??= learn())
}

/** Does this once for each object, and gives the same value from then on. */
export function oncePer<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, { readonly value: Value }>()
  return (key) => {
    const known = made.get(key) ?? { value: make(key) }
    made.set(key, known)
    return known.value
  }
}
