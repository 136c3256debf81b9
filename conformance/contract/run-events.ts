// The events of a run, for a program that shows its progress.
import type { TargetFacts } from '../../harness/target-facts.ts'
import type { Pace } from './target.ts'

/** An estimate of the requests and the duration of a run, from the shortest latency before the first check. */
export interface ExpectedCost {
  readonly requests: number
  /** The likely bounds of its duration. Undefined while the model still loads: its pace is not known yet. */
  readonly seconds: { readonly least: number; readonly most: number } | undefined
  /** Undefined for a fast model. */
  readonly pace: Pace | undefined
}

export interface RunEvents {
  onBegin(target: TargetFacts, seed: number, expected: ExpectedCost): void
  /** `waitMs`: the target refused a request, and is not asked again before this time is over. */
  onProgress(done: number, total: number, doing: string, waitMs?: number): void
  /** The judge itself could not do something, such as revoking a key. */
  onFault(message: string): void
}
