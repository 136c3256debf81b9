// Something that is learned once and shared by all who ask.

/** Runs an asynchronous function at the first call; every call shares that result. */
export function once<Value>(learn: () => Promise<Value>): () => Promise<Value> {
  let learned: Promise<Value> | undefined
  return () => (learned ??= learn())
}
