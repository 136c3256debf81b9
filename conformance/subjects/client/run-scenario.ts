// Runs the program in one scenario, and returns what was observed.
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ProgramEnd,
  type RunningClient,
  type StartClient,
  startOf,
} from '../../../harness/judged-program.ts'
import { type Observed, type Opened, type Scenario, STOP_AFTER_MS } from './scenario.ts'
import { boundMs } from './catalogue.ts'
import type { Call } from '../../../harness/scripted-service/received-call.ts'
import { clockMs } from '../../../harness/scripted-service/measuring-clock.ts'
import type { ScriptedService } from '../../../harness/scripted-service/scripted-service.ts'
import { tools, wordsOf } from '../../../harness/scripted-service/prompt-words.ts'
import { textsOf } from './verify/message-texts.ts'

/** The parts of a run that all scenarios share. */
export interface ClientSetup {
  /** The service that answers: the scripted one, or a service behind a proxy. */
  readonly service: Omit<ScriptedService, 'close' | 'delays'>
  readonly start: StartClient
  readonly seed: number
  /** The model that is requested, unless the scenario names one. */
  readonly model: string
  /** The key of a service that has its own address; left out: each scenario has a path and a key. */
  readonly key?: string
  /** How long a program may take to its first request, in milliseconds. */
  readonly startMs: number
  readonly signal: AbortSignal
}

interface OpenSetup extends Pick<ClientSetup, 'seed' | 'model' | 'key'> {
  readonly service: Pick<ClientSetup['service'], 'origin' | 'open'>
}

/** Opens a scenario at the service. `seed` decides the words of the prompt and of the answer. */
export function openScenario(
  scenario: Scenario,
  { service, seed, model, key }: OpenSetup,
  together = 1,
): Opened {
  const { name, requested = {}, text = (words: string) => `The answer is: ${words}.` } = scenario
  const { before = '', after = '' } = requested.path ?? {}
  const root = key === undefined ? `/s/${name}${before}/v1` : '/v1'
  const words = wordsOf(seed, name)
  const body = requested.body?.(wordsOf(seed + 1, name))
  const prompt =
    textsOf(body).at(-1) ?? `Say something of ${wordsOf(seed + 1, name)}.${requested.prompt ?? ''}`
  const asked = requested.model ?? model
  const opened: Opened = {
    scenario,
    baseUrl: service.origin + root + after,
    key: key ?? `svc_sk_${randomBytes(18).toString('hex')}`,
    path: `${root}/chat/completions`,
    text: text(words),
    task: {
      model: asked,
      prompt,
      turns: requested.turns ?? [],
      ...(requested.times === undefined ? {} : { times: requested.times }),
      request: {
        model: asked,
        ...(body ?? {
          messages: [...(requested.history ?? []), { role: 'user', content: prompt }],
          ...(requested.stream === true ? { stream: true } : {}),
          ...(requested.tools === true ? { tools } : {}),
        }),
      },
    },
  }
  service.open({ name, path: opened.path, key: opened.key, text: opened.text, model: asked, together })
  return opened
}

/** Runs the program in a scenario, `clients` times at once, and returns what was observed when all have ended. */
export async function runScenario(
  scenario: Scenario,
  setup: ClientSetup,
  clients = 1,
  onHeld: () => void = () => {},
): Promise<Observed> {
  const opened = openScenario(scenario, setup, clients)
  // A program may request within milliseconds, before the process of the service has read that the scenario is open.
  await setup.service.settled()
  const programs = Array.from({ length: clients }, () => startProgram(opened, setup.start))
  const ended = Promise.all(programs.map((program) => program.ended))
  const over = new AbortController()
  const { signal } = over
  let stoppedMs: number | undefined
  const kill = (): void => programs.forEach((program) => program.kill())
  setup.signal.addEventListener('abort', kill, { once: true })

  async function watch(): Promise<void> {
    const starting = AbortSignal.any([signal, AbortSignal.timeout(setup.startMs)])
    // The requests of concurrent programs are held until all of them have called.
    while (setup.service.calls(scenario.name).length < clients && !starting.aborted)
      await setup.service.next(scenario.name, starting)
    signal.throwIfAborted()
    onHeld()
    if (setup.service.calls(scenario.name).length === 0) return kill()
    if (scenario.stop !== undefined) {
      await sleep(STOP_AFTER_MS, undefined, { signal })
      stoppedMs = clockMs()
      for (const program of programs) program.signal(scenario.stop)
    }
    await sleep(boundMs(scenario), undefined, { signal })
    kill()
  }

  const watching = watch().catch((error: unknown) => {
    // The programs have ended before.
    if (!signal.aborted) throw error
  })
  let ends: readonly ProgramEnd[]
  try {
    ends = await ended
  } finally {
    over.abort()
    kill()
    setup.signal.removeEventListener('abort', kill)
    await watching
  }
  // A connection that the program left open is closed with it: the service notices a little later.
  await sleep(scenario.stop === undefined ? 0 : 50)
  await setup.service.settled()
  return observedOf(opened, setup, ends, stoppedMs)
}

/** The observations of a scenario so far. */
export function observedOf(
  opened: Opened,
  { service }: { readonly service: Pick<ClientSetup['service'], 'calls' | 'busyMs'> },
  ends: readonly ProgramEnd[],
  stoppedMs?: number,
  calls: readonly Call[] = service.calls(opened.scenario.name),
): Observed {
  const of = (kind: Call['kind']): readonly Call[] => calls.filter((call) => call.kind === kind)
  return {
    ...opened,
    attempts: of('attempt'),
    strays: of('stray'),
    elsewhere: of('elsewhere'),
    ends,
    boundMs: boundMs(opened.scenario),
    stoppedMs,
    busyMs: service.busyMs,
  }
}

function startProgram({ baseUrl, key, task }: Opened, start: StartClient): RunningClient {
  return start(startOf({ baseUrl, key, ...task }))
}
