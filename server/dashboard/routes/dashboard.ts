// The parts that the routes of the dashboard share: sessions, the guard, the throttled password and the audit log.
import type { Context } from 'hono'
import { clientAddressOf, readTrustedProxies } from '../../addresses/client-address.ts'
import type { ApiKey } from '../../keys/key-store.ts'
import type { AuditEntry } from '../../keys/stored-audit.ts'
import type { Storage } from '../../keys/storage.ts'
import type { DefaultLimits } from '../../limits/limit-rate.ts'
import { createGuard } from '../session/guard.ts'
import type { OperatorPassword } from '../session/operator-password.ts'
import { createSessions, type SessionLimits } from '../session/session.ts'
import { createSignInThrottle, type SignInLimits } from '../session/sign-in-throttle.ts'

export interface DashboardOptions {
  readonly storage: Pick<Storage, 'keys' | 'usage' | 'audit' | 'sessions'>
  readonly password: OperatorPassword
  /** The ids of the served models. */
  readonly models: () => readonly string[]
  /** The limits of keys without their own. */
  readonly rateLimit: DefaultLimits
  /** How late the use of a key may become visible, in milliseconds. */
  readonly usageDelayMs: number
  /** Called with the error of a failed request. The answer shows nothing of it. */
  readonly reportError: (error: unknown) => void
  /** Milliseconds since the epoch. */
  readonly now?: () => number
  /** The address of the client, for the throttle and the audit log; the address of the socket by default. */
  readonly clientAddress?: (c: Context) => string
  /** The names under which pages are served, beside IP addresses and localhost; in lower case. */
  readonly hosts?: readonly string[]
  readonly sessionLimits?: SessionLimits
  readonly signInLimits?: SignInLimits
}

/** Why a password was refused, and the status. */
export interface Refusal {
  readonly status: 403 | 429 | 503
  readonly problem: string
}

export type Dashboard = ReturnType<typeof createDashboard>

export function createDashboard(options: DashboardOptions) {
  const { storage, password, reportError, now = Date.now } = options
  const { clientAddress = clientAddressOf(readTrustedProxies('')) } = options
  const sessions = createSessions(storage.sessions, now, options.sessionLimits)
  const throttle = createSignInThrottle(options.signInLimits)

  /**
   * Writes an audit entry about a key, if there is one. A failure to write does not undo the action: it is reported, and
   * the operator still gets the answer, which may hold a secret that cannot be shown again.
   */
  async function record(
    c: Context,
    action: AuditEntry['action'],
    key?: Pick<ApiKey, 'id' | 'name'>,
  ): Promise<void> {
    const entry = {
      at: now(),
      action,
      address: clientAddress(c),
      keyId: key?.id ?? null,
      detail: key?.name ?? '',
    }
    await storage.audit.append(entry).catch(reportError)
  }

  /** Resolves to undefined if `candidate` is the password. Sets `Retry-After` on a throttled attempt. */
  async function refusalOf(c: Context, candidate: string): Promise<Refusal | undefined> {
    const verdict = await throttle.attempt(clientAddress(c), () => password.verify(candidate))
    if (verdict === 'right') return undefined
    if (verdict === 'wrong') {
      await record(c, 'sign-in-refused')
      return { status: 403, problem: 'Password: this is not the operator’s password.' }
    }
    const { refused, retryAfterSeconds } = verdict
    c.header('Retry-After', String(retryAfterSeconds))
    const again = `Try again in ${retryAfterSeconds} s.`
    return refused === 'busy'
      ? { status: 503, problem: `Too many concurrent sign-ins. ${again}` }
      : { status: 429, problem: `Too many wrong passwords. ${again}` }
  }

  return { ...options, now, sessions, guard: createGuard(sessions), record, refusalOf }
}
