// Something that the caller has to change: the judge says so in one line and ends with exit code 2.
export class UsageError extends Error {
  override readonly name = 'UsageError'
}
