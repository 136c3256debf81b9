// A request that crosses the gateway, seen from both sides, and the scenarios that send them.
import type { Exchange } from '../../../harness/http/exchange.ts'
import type { TransportError } from '../../../harness/http/transport-error.ts'
import type { RequirementId } from '../../../spec/catalogue/requirements.ts'
import type { EvidenceCheck } from '../../contract/check.ts'
import type { Call } from '../../../harness/scripted-service/received-call.ts'
import { answer } from '../../../harness/scripted-service/scripted-answers.ts'
import type { Step } from '../../../harness/scripted-service/scripted-reply.ts'

/** The body of a request, without the model. */
export type RequestBody = Readonly<Record<string, unknown>>

/** The connection of a script with the client of its crossing. */
export interface ScriptContext {
  /** Words that no other crossing has, in the prompt and the answer. */
  readonly words: string
  /** The key that the gateway has for the upstream, and the address of the upstream. */
  readonly upstreamKey: string
  readonly upstreamAddress: string
  /** The duration of the stream that outlasts time limits of whole answers, in milliseconds. */
  readonly longStreamMs: number
  /** Resolves when the client has received `text`, or after `HELD_MS`; then `text` counts as held back. */
  received(text: string): Promise<void>
}

/** A delta that does not reach the client within this time is held back, in milliseconds. */
export const HELD_MS = 1_000

/** The judge is also the upstream: a longer delay may outlast the patience of a gateway, in milliseconds. */
export const LONG_DELAY_MS = 500

/** How the upstream ends a connection that is idle: it closes it, or resets it. */
export type IdleEnd = 'closed' | 'reset'

/** Requests with one prompt that are sent at the same time. */
export interface Turn {
  readonly requests: readonly RequestBody[]
  /** The upstream ends its idle connections before. */
  readonly idle?: IdleEnd
}

/** One request, as it left the client and as it reached the upstream. All times are of `clockMs()`. */
export interface Crossing {
  readonly scenario: string
  readonly words: string
  /** The body as the client sent it, with exact numbers. */
  readonly sent: RequestBody
  /** The requests with the same prompt that were sent before it, or together with it. */
  readonly others?: readonly RequestBody[]
  /** How the upstream ended its idle connections before it. */
  readonly idle?: IdleEnd | undefined
  readonly sentMs: number
  /** `sentMs` as milliseconds since 1970. */
  readonly sentAtMs: number
  /** The answer at the client; undefined if none came, or the client left before. */
  readonly answer: Exchange | undefined
  readonly failure: TransportError | undefined
  /** When the client disconnected. */
  readonly leftMs: number | undefined
  /** The requests for a completion that reached the upstream, in order. */
  readonly calls: readonly Call[]
  /** Requests to other paths of the upstream with the same prompt, as a router sends to count its tokens. */
  readonly strays: readonly Call[]
  /** The longest delay of the timers of the judge meanwhile, in milliseconds, if it was long. */
  readonly busyMs?: number | undefined
  /** Texts that were held back. */
  readonly held: readonly string[]
  /** The scenario after which the gateway answers nothing any more, this request included. */
  readonly stoppedAfter?: string | undefined
}

/** The facts of a run that checks need. */
export interface RunFacts {
  readonly clientKey: string
  readonly upstreamKey: string
  /** `127.0.0.1:4099`. */
  readonly upstreamHost: string
  /** The time limit for an answer of the gateway, in milliseconds. */
  readonly timeoutMs: number
  /** The models that the gateway lists; undefined if it has no list. */
  readonly listed: readonly string[] | undefined
}

/** A check of what crossed a gateway. */
export type GatewayCheck = EvidenceCheck<[crossing: Crossing, facts: RunFacts]>

/** Defines a check. */
export function check(
  id: string,
  requirement: RequirementId,
  title: string,
  verify: GatewayCheck['verify'],
): GatewayCheck {
  return { id, requirement, title, verify }
}

/**
 * The phases of a run. Good answers come first: a gateway may avoid an upstream for a while after failures. Requests that are
 * sent together have a phase of their own: a gateway that fails under their load fails nothing else. So have idle
 * connections: no other request uses them.
 */
export const PHASES = ['answers', 'together', 'bodies', 'idle', 'failures', 'down'] as const

export interface GatewayScenario {
  /** Lower-case letters, digits and dashes. */
  readonly name: string
  readonly phase: (typeof PHASES)[number]
  /** Takes seconds: left out of a quick run. */
  readonly isSlow?: boolean
  /** The body of the request; the prompt with the marker comes first in its messages. */
  readonly request: RequestBody
  /** Headers of the request, beside those that every request has. */
  readonly headers?: Readonly<Record<string, string>>
  /** The value of `Authorization` for the key of the client; null: no such header. Default: `Bearer` and the key. */
  readonly authorization?: (key: string) => string | null
  /** The model of the request. Default: that of the run. */
  readonly model?: string
  /** The answer takes as long as `longStreamMs`. */
  readonly isLong?: boolean
  readonly script: (context: ScriptContext) => readonly Step[]
  /** Requests that are sent at the same time, and answered when all have arrived. */
  readonly together?: number
  /** The turns after `request`, one after the other, with the same prompt. */
  readonly turns?: readonly Turn[]
  /** When the client disconnects. */
  readonly leaves?: 'before the answer' | 'in the answer'
  readonly checks: readonly GatewayCheck[]
}

/** The members of a scenario beside its first check; those that are left out are usual. */
export interface ScenarioMembers
  extends Pick<GatewayScenario, 'phase'>, Partial<Omit<GatewayScenario, 'phase'>> {
  /** The answers in turn. Default: a good one. */
  readonly steps?: readonly Step[]
}

/** Defines a scenario by its first check. Its name, unless given, is the id of the check without the section. */
export function scenario(id: string, requirement: RequirementId, title: string) {
  return {
    with: ({ steps = [answer], checks = [], ...members }: ScenarioMembers) => ({
      verify: (verify: GatewayCheck['verify']): GatewayScenario => ({
        name: id.replace(/^gate\./, ''),
        request: {},
        script: () => steps,
        ...members,
        checks: [check(id, requirement, title, verify), ...checks],
      }),
    }),
  }
}
