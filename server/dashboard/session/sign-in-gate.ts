// Checks the operator's password, throttled, for the sign-in and for the change of the password.
import type { Context } from 'hono'
import type { OperatorPassword } from './password.ts'
import type { SignInThrottle } from './sign-in-throttle.ts'

/** Why a password was refused, and the status. */
export interface Refusal {
  readonly status: 403 | 429 | 503
  readonly problem: string
}

/** Resolves to undefined if `candidate` is the password. Sets `Retry-After` on a throttled attempt. */
export type SignInGate = (c: Context, candidate: string) => Promise<Refusal | undefined>

const WRONG_PASSWORD = 'Password: this is not the operator’s password.'

/** `refused` is called for each wrong password. */
export function createSignInGate(
  password: OperatorPassword,
  throttle: SignInThrottle,
  clientAddress: (c: Context) => string,
  refused: (c: Context) => Promise<void>,
): SignInGate {
  return async function gate(c, candidate) {
    const verdict = await throttle.attempt(clientAddress(c), () => password.verify(candidate))
    if (verdict === 'right') return undefined
    if (verdict === 'wrong') {
      await refused(c)
      return { status: 403, problem: WRONG_PASSWORD }
    }
    const { refused: reason, retryAfterSeconds } = verdict
    c.header('Retry-After', String(retryAfterSeconds))
    const again = `Try again in ${retryAfterSeconds} s.`
    return reason === 'busy'
      ? { status: 503, problem: `Too many concurrent sign-ins. ${again}` }
      : { status: 429, problem: `Too many wrong passwords. ${again}` }
  }
}
