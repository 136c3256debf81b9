// Facts about a service that all readers of its answers need.

/** `service` judges the whole specification; `wire` the chat completions format alone, on any deployment of it. */
export type Profile = 'service' | 'wire'

export interface TargetFacts {
  /** The address of the service, in a form of `http/service-address.ts`. */
  readonly baseUrl: string
  readonly profile: Profile
  readonly model: string
}

/** The number of requests that are admitted in each window. */
export interface RequestLimit {
  readonly requests: number
  readonly windowSeconds: number
}
