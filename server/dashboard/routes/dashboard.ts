// The dependencies of the dashboard's routes.
import type { Storage } from '../../keys/storage.ts'
import type { DefaultLimits } from '../../limits/limit-rate.ts'
import type { Guard } from '../session/guard.ts'
import type { OperatorPassword } from '../session/password.ts'
import type { Sessions } from '../session/session.ts'
import type { SignInGate } from '../session/sign-in-gate.ts'
import type { Recorder } from './recorder.ts'

export interface Dashboard {
  readonly storage: Pick<Storage, 'keys' | 'usage' | 'audit'>
  readonly password: OperatorPassword
  /** The ids of the served models. */
  readonly models: () => readonly string[]
  /** The limits of keys without their own. */
  readonly rateLimit: DefaultLimits
  /** How late the use of a key may become visible, in milliseconds. */
  readonly usageDelayMs: number
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly sessions: Sessions
  readonly guard: Guard
  readonly gate: SignInGate
  readonly record: Recorder
}
