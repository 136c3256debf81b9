// What stands behind a model that another service serves.

/** One model of ours, and what stands behind it. */
export interface UpstreamModel {
  /** The id under which it is served here. */
  readonly id: string
  /** The root of the other service, without `/v1`. */
  readonly baseUrl: string
  /** What the model is called there. */
  readonly model: string
  /** The key for that service, if it demands one. */
  readonly apiKey: string | undefined
}
