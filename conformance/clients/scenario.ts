// What a client is judged by: a script that the service follows, and checks that hold what was seen against a row.
import type { Level, RequirementId } from '../../spec/catalogue/requirements.ts'
import type { Headers, SentRequest } from '../../harness/http/exchange.ts'
import type { Reply, Step } from './scripted-service/reply.ts'

/** What the program is asked to send. What is left out: one message, the prompt, plain. */
export interface Requested {
  /** False where a streamed request would not show what the scenario is about. */
  readonly stream?: boolean
  readonly tools?: boolean
  /** The messages before the prompt. */
  readonly history?: readonly { readonly role: string; readonly content: string }[]
  /** Behind the first words of the prompt, which differ for each scenario. */
  readonly prompt?: string
  readonly model?: string
  /** The path between the scenario's address and `/v1`, or behind that. */
  readonly path?: { readonly before?: string; readonly after?: string }
}

export interface Check {
  /** A stable slug, `section.what-is-tried`; the same for pass and fail. */
  readonly id: string
  readonly requirement: RequirementId
  /** What is tried, in a few words. */
  readonly title: string
  /** Lower than the level of the row, where only a part of it is tried. */
  readonly level?: Level
  /** Scenarios that it is held against beside its own. */
  readonly beside?: readonly string[]
  /** Throws a `CheckFailure`, `NotApplicable` or `Inconclusive`; returns where the row holds. */
  verify(observed: Observed, beside: (scenario: string) => Observed): void
}

export interface Scenario {
  /** Part of the address: lower-case letters, digits and dashes. */
  readonly name: string
  readonly requested?: Requested
  /** What each request in turn is answered; the last one stands for all that follow. */
  readonly script: readonly Step[]
  /** The text of the good answer, made from words that differ for each scenario. */
  readonly text?: (words: string) => string
  /** Programs that call at the same time; their requests are answered when all have come. */
  readonly clients?: number
  /** Sent to the program while its first request is answered. */
  readonly stop?: 'SIGINT' | 'SIGTERM'
  /** How long after its first request the program is ended, in milliseconds, where the script does not tell it. */
  readonly boundMs?: number
  readonly checks: readonly Check[]
}

/** A request as the service saw it, and what it answered. Times are milliseconds since the scenario's first request. */
export interface Attempt {
  readonly arrivedMs: number
  readonly request: SentRequest
  /** Undefined where none was given, as the client closed the connection before. */
  readonly reply: SentReply | undefined
  /** When the client closed the connection before the answer's end. */
  readonly hungUpMs: number | undefined
}

/** An answer as far as it was written. */
export interface SentReply {
  readonly status: number
  readonly headers: Headers
  readonly body: Uint8Array
  readonly end: Reply['end']
  /** Before the first and the last byte were written; the last one undefined while it is not written. */
  readonly firstByteMs: number
  readonly lastByteMs: number | undefined
}

/** How a program ended. */
export interface ProgramEnd {
  /** Null where a signal ended it. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  /** True where it was ended because its time was over. */
  readonly isOverdue: boolean
  readonly stdout: string
  readonly stderr: string
}

/** Everything that was seen of a scenario. */
export interface Observed {
  readonly scenario: Scenario
  /** What the program was told. */
  readonly task: {
    readonly model: string
    readonly prompt: string
    readonly request: Readonly<Record<string, unknown>>
  }
  readonly key: string
  /** Where completions are asked for: the path that requests should have. */
  readonly path: string
  /** The text of the good answer. */
  readonly text: string
  /** POST requests to where completions are asked for, in the order of their arrival. */
  readonly attempts: readonly Attempt[]
  /** Requests to any other path of the scenario. */
  readonly strays: readonly Attempt[]
  /** Requests to the other host. */
  readonly elsewhere: readonly Attempt[]
  /** How each program ended; empty where the judge did not start it. */
  readonly ends: readonly ProgramEnd[]
  /** How long the program had, from its first request, in milliseconds. */
  readonly boundMs: number
  /** When the program was told to stop. */
  readonly stoppedMs: number | undefined
  /** The longest delay of the judge's own timers between two times of the scenario, in milliseconds. */
  busyMs(fromMs: number, toMs: number): number
}

/** Names a scenario's type at its definition; returns it unchanged. */
export function defineScenario(definition: Scenario): Scenario {
  return definition
}
