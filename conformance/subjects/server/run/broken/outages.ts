// A service that dies within a run. While it is down nothing is sent, and no check is blamed for a refused connection. The
// requests whose connections broke at its end are the suspects: each is sent again alone when the service is back, and
// ends it again or is cleared. If it does not come back, all of them are named.
import { type Exchange, requestJson } from '../../../../../harness/http/exchange.ts'
import { TransportError } from '../../../../../harness/http/transport-error.ts'
import { Inconclusive, Unreachable } from '../../../../contract/outcome.ts'
import { chatCompletionRequest } from '../../../../../spec/schemas/request.ts'

/** The pause between two attempts to reach a service that is down, in milliseconds. */
const PAUSE_MS = 250

/** How often a request waits for the service to come back: it may die again before the request gets its turn. */
const MOST_RETURNS = 20

/** Deaths that no request causes again; more of them are a fault. The first may be a restart by the operator. */
const MOST_BY_CHANCE = 1

/** A request whose connection broke before the end of its answer, and that was not sent again yet. */
export interface Suspect {
  /** The id of the check that sent it. */
  readonly by: string | undefined
  readonly error: TransportError
  readonly atMs: number
  /** The death of the service at which it broke; null if the service went on answering. */
  death?: Death | null
}

interface Death {
  readonly open: Set<Suspect>
  readonly names: Set<string>
  isExplained: boolean
}

export interface OutageOptions {
  readonly now: () => number
  readonly pause: (ms: number) => Promise<void>
  /** Sends a request that any working service answers. */
  readonly ask: () => Promise<Exchange>
  /** The time that the service has to come back, in milliseconds. */
  readonly returnMs: number
  /** Gets the request that ended the service, and the check that sent it; or why the request is not known. */
  readonly onDeath: (cause: TransportError | Inconclusive, by: string | undefined) => void
}

export type Outages = ReturnType<typeof createOutages>

/** Whether a gateway answers that the service behind it is down. */
const isAway = ({ response: { status } }: Exchange): boolean => status === 502 || status === 504

export function createOutages({ now, pause, ask, returnMs, onDeath }: OutageOptions) {
  let wasReached = false
  let suspects: Suspect[] = []
  let current: Death | undefined
  let returning: Promise<void> | undefined
  let gone: Unreachable | undefined
  let byChance = 0

  const nameOf = ({ by, error: { request } }: Suspect): string =>
    by === undefined ? `${request.method} ${request.path}` : `--only ${by}`

  const isValid = ({ error: { request } }: Suspect): boolean =>
    request.body === undefined || chatCompletionRequest.safeParse(requestJson(request)).success

  /** The service is down: the connections that broke since its last answer broke because it died. */
  function died(): Death {
    const death = (current ??= { open: new Set(), names: new Set(), isExplained: false })
    for (const suspect of suspects)
      if (suspect.death === undefined) {
        suspect.death = death
        death.open.add(suspect)
        death.names.add(nameOf(suspect))
      }
    return death
  }

  async function isUp(): Promise<boolean> {
    try {
      return !isAway(await ask())
    } catch (error) {
      // A spent budget says nothing about the service.
      return !(error instanceof TransportError)
    }
  }

  async function comeBack(why: string): Promise<void> {
    died()
    const endsAtMs = now() + returnMs
    for (let tries = 0; tries < returnMs / PAUSE_MS && now() < endsAtMs; tries++) {
      await pause(PAUSE_MS)
      if (await isUp()) return void (current = undefined)
    }
    // More connections may have broken since.
    const { open, names } = died()
    const stopped = `the service stopped (${why}), and did not come back within ${returnMs / 1000} s`
    const each = [...names].join(', ')
    const advice =
      names.size === 0 ? '' : `: start it again, and try ${names.size > 1 ? 'each of ' : ''}${each}`
    gone = new Unreachable(stopped + advice)
    // An invalid request ends a service more often than a valid one.
    const [first] = [...open].toSorted((a, b) => Number(isValid(a)) - Number(isValid(b)))
    if (first !== undefined) {
      const which = names.size > 1 ? `; one of these ended it, try each alone: ${each}` : ''
      const message = `${first.error.message}, and then ${stopped}${which}`
      onDeath(new TransportError(message, first.error.request), first.by)
    }
    throw gone
  }

  const wait = (why: string): Promise<void> =>
    (returning ??= comeBack(why).finally(() => (returning = undefined)))

  /** Whether this is a refused connection after which the service is waited for. */
  const waitsFor = (error: TransportError): boolean => wasReached && error.isRefused

  return {
    /** An answer came to a request that was sent at this time: what broke before did not break because the service died. */
    answered(sentAtMs: number): void {
      wasReached = true
      for (const suspect of suspects)
        if (suspect.atMs < sentAtMs && suspect.death === undefined) suspect.death = null
    },
    /** The connection of a request of this check broke. */
    suspect(error: TransportError, by: string | undefined): Suspect {
      const suspect: Suspect = { by, error, atMs: now() }
      suspects.push(suspect)
      if (current !== undefined) died()
      return suspect
    },
    /** A suspect was sent again, alone: how it broke this time, if it did. */
    settle(suspect: Suspect, again: TransportError | undefined): void {
      suspects = suspects.filter((other) => other !== suspect)
      const { death, by, error } = suspect
      if (again !== undefined) onDeath(again, by)
      if (!death) return
      death.open.delete(suspect)
      death.isExplained ||= again !== undefined
      if (death.open.size > 0 || death.isExplained) return
      byChance += 1
      const times = byChance === 1 ? 'once' : `${byChance} times`
      const each = [...death.names].join(', ')
      const reason = `the service stopped ${times} and came back, and no request that was in flight ends it alone: ${each}`
      onDeath(
        byChance > MOST_BY_CHANCE ? new TransportError(reason, error.request) : new Inconclusive(reason),
        by,
      )
    },
    /** Waits until the service is there. Throws `Unreachable` if it does not come back in time. */
    async present(): Promise<void> {
      if (gone !== undefined) throw gone
      if (wasReached && !(await isUp())) await wait('it no longer answered')
    },
    /** Sends a request, and again if it was refused, when the service is back: it never received the first one. */
    async reach<Result>(send: () => Promise<Result>, onWait?: (waiting: boolean) => void): Promise<Result> {
      const waitFor = (back: Promise<void>): Promise<void> => {
        onWait?.(true)
        return back.finally(() => onWait?.(false))
      }
      for (let returns = 0; ; returns++) {
        if (gone !== undefined) throw gone
        if (returning !== undefined) await waitFor(returning)
        try {
          return await send()
        } catch (error) {
          if (!(error instanceof TransportError) || !waitsFor(error) || returns === MOST_RETURNS) throw error
          await waitFor(wait(error.message))
        }
      }
    },
    waitsFor,
    gone: (): Unreachable | undefined => gone,
  }
}
