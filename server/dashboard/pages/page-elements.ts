// What programs find in the pages: these names are kept, the rest of a page may change.

export const pageElements = {
  /** The id of the element with the id of a key that was just made. */
  keyId: 'key-id',
  /** The id of the element with its secret. */
  keySecret: 'key-secret',
  /** The attribute of each element that says what went wrong. */
  problem: 'data-problem',
} as const

/** Names of form fields. */
export const fields = {
  password: 'password',
  newPassword: 'new_password',
  repeated: 'repeated_password',
  csrf: 'csrf',
  /** The id that the key of this form will have, so that posting the form twice makes one key. */
  form: 'form',
  name: 'name',
  /** `all` or `some`. */
  access: 'access',
  /** Once for each model that was ticked. */
  model: 'model',
  /** More model ids, separated by commas. */
  moreModels: 'more_models',
  limitRequests: 'limit_requests',
  limitSeconds: 'limit_seconds',
  concurrency: 'concurrency',
  tokensPerMinute: 'tokens_per_minute',
} as const
