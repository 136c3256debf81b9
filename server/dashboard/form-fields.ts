// Names of the form fields. Programs post the same fields, so these names do not change.

export const fields = {
  password: 'password',
  newPassword: 'new_password',
  repeated: 'repeated_password',
  csrf: 'csrf',
  /** The id of the key that this form creates: a form that is posted twice creates one key. */
  form: 'form',
  name: 'name',
  /** `all` or `some`. */
  access: 'access',
  /** Once for each selected model. */
  model: 'model',
  /** More model ids, separated by commas. */
  moreModels: 'more_models',
  limitRequests: 'limit_requests',
  limitSeconds: 'limit_seconds',
  concurrency: 'concurrency',
  tokensPerMinute: 'tokens_per_minute',
} as const
