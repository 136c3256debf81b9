// Runs the program of a client in one use, through a proxy that records each exchange.
import { setTimeout as sleep } from 'node:timers/promises'
import { type ProgramEnd, type StartClient, startOf } from '../../../harness/judged-program.ts'
import type { Members } from '../../../harness/scripted-service/scripted-answers.ts'
import { startScriptedService } from '../../../harness/scripted-service/scripted-service.ts'
import type { RecordedExchange } from '../../exchanges/recorded-exchange.ts'
import { startCaptureProxy } from '../../exchanges/capture/capture-proxy.ts'
import { textsOf } from './sent-answer.ts'
import type { Use } from './uses.ts'

/** How long a stream has been coming when the program gets the signal to stop, in milliseconds. */
const STOP_AFTER_MS = 1_000

/** The time after the signal in which the program ends, in milliseconds: a busy machine is slow. */
const STOP_GRACE_MS = 6_000

/** The server of a pair. */
export interface PairServer {
  /** The address with its version. */
  readonly baseUrl: string
  readonly key: string
  readonly model: string
}

export interface UseRun {
  /** The request that the program was asked to send. */
  readonly asked: Members
  readonly end: ProgramEnd
  /** The exchanges in the order of their requests. */
  readonly exchanges: readonly RecordedExchange[]
  /** Whether the proxy answered in place of the server. */
  readonly isScripted: boolean
}

interface RunOptions {
  readonly start: StartClient
  readonly server: PairServer
  /** The longest run of a program, in milliseconds. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  /** The proxy answers by the script of the use. */
  readonly isScripted: boolean
  /** Members of the request that leave the model no choice. */
  readonly forced?: Members | undefined
}

export async function runUse(use: Use, options: RunOptions): Promise<UseRun> {
  const { start, server, timeoutMs, signal, isScripted, forced } = options
  signal.throwIfAborted()
  const model = use.wrong === 'model' ? `no-such-${server.model}` : server.model
  const key = use.wrong === 'key' ? wrongKey(server.key) : server.key
  const asked = { model, ...use.request, ...forced }
  await using scripted = isScripted ? await openScript(use, model) : undefined
  const exchanges: RecordedExchange[] = []
  const record = (exchange: RecordedExchange): void => void exchanges.push(exchange)
  const proxy = await startCaptureProxy(scripted?.baseUrl ?? server.baseUrl, 0, record)
  const prompt = textsOf(asked).at(-1) ?? ''
  const task = { baseUrl: `${proxy.origin}/v1`, key, model, prompt, request: asked, turns: use.turns ?? [] }
  const { env, values } = startOf(task)
  const program = start({ env: { ...env, TOUCHSTONE_TIMES: String(use.times ?? 1) }, values })
  const kill = (): void => program.kill()
  const timer = setTimeout(kill, timeoutMs)
  signal.addEventListener('abort', kill, { once: true })
  if (use.ends === 'stopped' && scripted !== undefined) {
    await Promise.race([scripted.called(), program.ended])
    await Promise.race([sleep(STOP_AFTER_MS), program.ended])
    program.signal('SIGINT')
    setTimeout(kill, STOP_GRACE_MS).unref()
  }
  try {
    const end = await program.ended
    return { asked, end, exchanges: await recorded(), isScripted }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', kill)
    await proxy.end()
  }

  async function recorded(): Promise<readonly RecordedExchange[]> {
    await proxy.end()
    return exchanges.toSorted((one, other) => one.startedAtMs - other.startedAtMs)
  }
}

/** A key of the same form that the server does not know. */
const wrongKey = (key: string): string =>
  key.replace(/.{1,4}$/, (end) => (end === 'aaaa' ? 'bbbb' : 'a'.repeat(end.length)))

/** The service that answers by the script of a use. */
async function openScript({ script }: Use, model: string) {
  const service = await startScriptedService()
  const name = 'use'
  const path = `/s/${name}/v1/chat/completions`
  const text = 'Good afternoon, and good luck.'
  service.open({ name, path, key: '', text, model, together: 1 }, script?.steps ?? [])
  const never = new AbortController()
  return {
    baseUrl: `${service.origin}/s/${name}/v1`,
    called: async (): Promise<void> => {
      if (service.calls(name).length === 0) await service.next(name, never.signal)
    },
    [Symbol.asyncDispose]: () => service.close(),
  }
}
