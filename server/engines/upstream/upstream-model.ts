// A model that another service serves.

export interface UpstreamModel {
  /** The id under which it is served here. */
  readonly id: string
  /** The root of the other service, without `/v1`. */
  readonly baseUrl: string
  /** The name of the model there. */
  readonly model: string
  /** The key for that service, if it demands one. */
  readonly apiKey: string | undefined
}
