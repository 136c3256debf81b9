// The options of the command `mutants`: those of a run, and which mutants are judged.
import type { ConformanceOptions } from '../../contract/settings.ts'
import type { Profile } from '../../../harness/target-facts.ts'

export interface MutantOptions extends ConformanceOptions {
  readonly profile: Profile
  readonly runs: number
  /** The first is used; the others are ignored. */
  readonly models: readonly string[]
  readonly clients: boolean
  readonly gateways: boolean
  readonly derived: boolean
  readonly sample?: number | undefined
  readonly markdown?: string | undefined
  readonly junit?: string | undefined
  readonly html?: string | undefined
  readonly json?: string | undefined
}
