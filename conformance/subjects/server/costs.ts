// The cost of each row on the reference server, and its quick check. `npm run costs` measures them and writes costs.json.
import costs from './costs.json' with { type: 'json' }

export interface RowCost {
  /** The check by which a quick run judges the row, and the number of requests that it sends. */
  readonly quick: string
  readonly quickRequests: number
  /** Average number of requests of a check, with one case of each property. */
  readonly requests: number
  /** Requests of each further case of the properties. */
  readonly perRun: number
  /** The same in tokens of prompts and answers. */
  readonly tokens: number
  readonly tokensPerRun: number
}

/** Requests and tokens by which a whole run discovers its target. */
export const DISCOVERY: { readonly requests: number; readonly tokens: number } = costs.discovery

export const COSTS: Readonly<Record<string, RowCost>> = costs.rows
