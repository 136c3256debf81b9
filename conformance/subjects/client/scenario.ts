// A scenario for clients: a script that the service follows, and checks of what was observed.
import type { RequirementId } from '../../../spec/catalogue/requirements.ts'
import type { EvidenceCheck } from '../../contract/check.ts'
import type { ProgramEnd } from '../../../harness/judged-program.ts'
import type { Call } from '../../../harness/scripted-service/received-call.ts'
import type { Members } from '../../../harness/scripted-service/scripted-answers.ts'
import type { Step } from '../../../harness/scripted-service/scripted-reply.ts'

/**
 * How long an answer has been streaming when a program gets the signal to stop, and when it is killed after that, in
 * milliseconds: late enough to distinguish a program that is slow on a busy machine from one that does not stop.
 */
export const STOP_AFTER_MS = 500
export const STOP_GRACE_MS = 6_000

/** The next messages of a conversation: a text of the user, or the results of the calls in the answer, by the name of the tool. */
export type Turn = string | Readonly<Record<string, string>>

/** The request that the program is asked to send. Default: one message, the prompt, not streamed. */
export interface Requested {
  /** False if a streamed request would not show what the scenario is about. */
  readonly stream?: boolean
  readonly tools?: boolean
  /** The messages before the prompt. */
  readonly history?: readonly { readonly role: string; readonly content: string }[]
  /** Appended to the first words of the prompt, which differ for each scenario. */
  readonly prompt?: string
  readonly model?: string
  /** The members of the request beside its model, made from words that differ for each scenario, in place of those above. */
  readonly body?: (words: string) => Members
  /** The requests that the program sends side by side. Default: 1. */
  readonly times?: number
  /** How the conversation goes on after each answer; the program prints the last answer. */
  readonly turns?: readonly Turn[]
  /** The path between the address of the scenario and `/v1`, and after `/v1`. */
  readonly path?: { readonly before?: string; readonly after?: string }
}

/** A check of what a program did in a scenario. It may compare that with other scenarios, which `beside` names. */
export interface ClientCheck extends EvidenceCheck<
  [observed: Observed, beside: (scenario: string) => Observed]
> {
  readonly beside?: readonly string[]
  /** A quick run leaves it out. */
  readonly thorough?: boolean
}

export interface Scenario {
  /** Part of the address: lower-case letters, digits and dashes. */
  readonly name: string
  readonly requested?: Requested
  /** The answer to each request in turn; the last one answers all that follow. */
  readonly script: readonly Step[]
  /** The text of the good answer, made from words that differ for each scenario. */
  readonly text?: (words: string) => string
  /** Programs that call at the same time; their requests are answered when all have arrived. */
  readonly clients?: number
  /** The signal for the program while its first request is answered. */
  readonly stop?: 'SIGINT' | 'SIGTERM'
  /** The duration of its first answer, if that is long, in milliseconds. */
  readonly answerMs?: number
  /** The time limit of the program from its first request, in milliseconds; left out: from the script. */
  readonly boundMs?: number
  readonly checks: readonly ClientCheck[]
}

/** A scenario that is open at the service: its address, and the task of the program. */
export interface Opened {
  readonly scenario: Scenario
  readonly baseUrl: string
  /** The task of the program. */
  readonly task: {
    readonly model: string
    readonly prompt: string
    readonly request: Readonly<Record<string, unknown>>
    readonly turns: readonly Turn[]
    readonly times?: number
  }
  readonly key: string
  /** The path for completions, which requests should have. */
  readonly path: string
  /** The text of the good answer. */
  readonly text: string
}

/** Everything that was observed of a scenario. Times are of one monotonic clock, in milliseconds. */
export interface Observed extends Opened {
  /** POST requests for completions, in the order of their arrival. */
  readonly attempts: readonly Call[]
  /** Requests to any other path of the scenario. */
  readonly strays: readonly Call[]
  /** Requests to the other host. */
  readonly elsewhere: readonly Call[]
  /** How each program ended; empty if the judge did not start it. */
  readonly ends: readonly ProgramEnd[]
  /** The time limit of the program from its first request, in milliseconds. */
  readonly boundMs: number
  /** When the program got its signal. */
  readonly stoppedMs: number | undefined
  /** The longest delay of the judge's own timers between two times, in milliseconds. */
  busyMs(fromMs: number, toMs: number): number
}

/** An observation in which nothing happened: of a program without a task, or before something is added. */
export const NOTHING_OBSERVED: Observed = {
  scenario: { name: 'nothing', script: [], checks: [] },
  baseUrl: '',
  task: { model: '', prompt: '', request: {}, turns: [] },
  key: '',
  path: '/v1/chat/completions',
  text: '',
  attempts: [],
  strays: [],
  elsewhere: [],
  ends: [],
  boundMs: 0,
  stoppedMs: undefined,
  busyMs: () => 0,
}

/** All requests of a scenario, in the order of arrival. */
export function requestsOf({ attempts, strays, elsewhere }: Observed): readonly Call[] {
  return [...attempts, ...strays, ...elsewhere].toSorted((a, b) => a.arrivedMs - b.arrivedMs)
}

/** Defines a check. */
export function check(
  id: string,
  requirement: RequirementId,
  title: string,
  verify: ClientCheck['verify'],
  more: Pick<ClientCheck, 'beside'> = {},
): ClientCheck {
  return { id, requirement, title, verify, ...more }
}

type Definition = ClientCheck & Omit<Scenario, 'name' | 'checks'> & { readonly name?: string }

/** Defines a scenario with one check. Its name, unless given, is the id of the check without the section. */
export function withOneCheck(definition: Definition): Scenario {
  return { name: definition.id.replace(/^[a-z]+\./, ''), ...definition, checks: [definition] }
}

/** Defines a scenario with one check: `scenario('call.model', 'CALL-4', 'the model').with({ script: [answer] }).verify(namesModel)`. */
export function scenario(id: string, requirement: RequirementId, title: string) {
  return {
    with: (members: Omit<Definition, 'id' | 'requirement' | 'title' | 'verify'>) => ({
      verify: (verify: ClientCheck['verify']) => withOneCheck({ id, requirement, title, verify, ...members }),
    }),
  }
}
