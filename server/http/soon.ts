// Values that are mostly there at once. A path of many steps that waits only if it has to makes no promise for the
// others; it is written once for both. What throws and what rejects are the same failure.

/** A value, or the promise of one. */
export type Soon<Value> = Value | Promise<Value>

/** What `make` makes of the value: at once if it is there. */
export function andThen<Value, Result>(
  value: Soon<Value>,
  make: (value: Value) => Soon<Result>,
): Soon<Result> {
  return value instanceof Promise ? value.then(make) : make(value)
}

/** What `start` gives; if it fails, now or later, what `failed` makes of the failure. */
export function orElse<Value>(
  start: () => Soon<Value>,
  failed: (error: unknown) => Soon<Value>,
): Soon<Value> {
  try {
    const value = start()
    return value instanceof Promise ? value.catch(failed) : value
  } catch (error) {
    return failed(error)
  }
}

/** What `start` gives; `done` is called when it has, or when it has failed. */
export function lastly<Value>(start: () => Soon<Value>, done: () => void): Soon<Value> {
  let value: Soon<Value> | undefined
  try {
    value = start()
    return value instanceof Promise ? value.finally(done) : value
  } finally {
    if (!(value instanceof Promise)) done()
  }
}
