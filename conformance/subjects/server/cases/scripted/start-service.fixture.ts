// Starts the scripted service on a free port, behind a fault, with keys and with a clock that skips waits.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { Handler, Tools } from '../../../../../fixtures/faulty/behaviour.ts'
import { readBody } from '../../../../../fixtures/faulty/call-and-answer.ts'
import { createCallServer } from '../../../../../fixtures/faulty/serve-faults.ts'
import type { MadeKey, NewKeyOptions } from '../../../../../harness/keys/key-command.ts'
import { createService } from './service.fixture.ts'

/** Turns of the event loop after which nothing is in flight between a client and a server in this process. */
const IDLE_TURNS = 50

/** A behaviour that a single test needs, of the same form as those of the registry. */
export type Start = (tools: Tools) => Handler

export interface ScriptedService extends AsyncDisposable {
  readonly baseUrl: string
  readonly key: string
  readonly clock: Clock
  createKey(asked?: NewKeyOptions): Promise<MadeKey>
  revokeKey(id: string): Promise<void>
}

type Clock = Pick<Tools, 'now' | 'sleep'>

const asIs: Handler = (call, forward) => forward(call)

/** Starts the service. The fault also sees how its keys are made and revoked. */
export async function startService(start: Start = () => asIs): Promise<ScriptedService> {
  const clock = createClock()
  const forward = createService(clock.now)
  const manageKeys = (handler: Handler, path: string, options: NewKeyOptions = {}) => {
    const body = Buffer.from(JSON.stringify(options))
    return handler({ method: 'POST', url: `/dashboard/keys${path}`, headers: [], body }, forward)
  }
  const createKey = async (handler: Handler, asked?: NewKeyOptions): Promise<MadeKey> => {
    const page = await readBody((await manageKeys(handler, '', asked)).body)
    const [, id = '', secret = ''] = /(key_\d+) (svc_sk_[\w-]+)/.exec(page.toString()) ?? []
    return { id, secret }
  }
  const { secret: spare } = await createKey(asIs)
  const handler = start({ key: spare, ...clock })
  const { secret: key } = await createKey(handler)
  const server = createCallServer((call) => handler(call, forward)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    clock,
    createKey: (asked) => createKey(handler, asked),
    async revokeKey(id) {
      await manageKeys(handler, `/${id}/revoke`)
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/**
 * A clock that jumps to the end of the earliest wait as soon as nothing else happens in this process. Nothing else takes time on
 * it, so that a busy machine changes no verdict.
 */
function createClock(): Clock {
  let waits: { readonly until: number; end(): void }[] = []
  let nowMs = 0
  const now = () => nowMs
  async function skipWaits(): Promise<void> {
    while (waits.length > 0) {
      for (let turn = 0; turn < IDLE_TURNS; turn += 1) await setImmediate()
      waits = waits.toSorted((one, other) => one.until - other.until)
      const earliest = waits.shift()
      nowMs += Math.max(0, (earliest?.until ?? 0) - now())
      earliest?.end()
    }
  }
  return {
    now,
    sleep(ms) {
      const { promise, resolve } = Promise.withResolvers<void>()
      waits.push({ until: now() + ms, end: resolve })
      if (waits.length === 1) void skipWaits()
      return promise
    },
  }
}
