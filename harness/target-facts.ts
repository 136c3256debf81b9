// What everything that reads answers knows of the service that gave them.

/** `service` judges the whole specification; `wire` the chat completions format alone, on any deployment of it. */
export type Profile = 'service' | 'wire'

/** What verifiers know of a target. */
export interface TargetFacts {
  /** The root address, without `/v1` and without a slash at its end. */
  readonly baseUrl: string
  readonly profile: Profile
  /** The model that is judged. */
  readonly model: string
}

/** So many requests are admitted in each window. */
export interface RequestLimit {
  readonly requests: number
  readonly windowSeconds: number
}
