// The cost of each row on the reference server, and its quick checks. `npm run docs` measures new rows and writes costs.json.
import costs from './costs.json' with { type: 'json' }

/** A check with its number of requests, and on how many servers of the public record it failed. */
export interface QuickCheck {
  readonly id: string
  readonly requests: number
  readonly caught: number
}

export interface RowCost {
  /** The checks by which a quick run judges the row. */
  readonly quick: readonly QuickCheck[]
  /** Average number of requests of a check, with one case of each property. */
  readonly requests: number
  /** Requests of each further case of the properties. */
  readonly perRun: number
  /** Both numbers in tokens of prompts and answers. */
  readonly tokens: number
  readonly tokensPerRun: number
}

/** Requests and tokens by which a whole run discovers its target. */
export const DISCOVERY: { readonly requests: number; readonly tokens: number } = costs.discovery

export const COSTS: Readonly<Record<string, RowCost>> = costs.rows
