// Attacks connections and judges the result: the client receives the answers that it is owed, every connection is
// closed, and the service answers a new client afterwards.
import http from 'node:http'
import https from 'node:https'
import { urlAt } from '../../../../harness/http/service-address.ts'
import { waitsUntil } from '../../../../harness/waiting.ts'
import type { Attack } from '../attack.ts'
import { problemOfAnswer } from '../violations.ts'
import { performSteps, type StepOptions, type StepsOutcome } from './perform-steps.ts'

/** The problem of a service that ended, or that no new client reaches. */
export const SERVICE_DOWN = 'a new client gets no answer from /healthz'

/**
 * Performs the attack on all its connections. Returns an outcome, with its problem if one of them has a problem. It is
 * over when the service has answered a new client. Throws the reason of the signal.
 */
export async function attackConnection(attack: Attack, options: StepOptions) {
  const outcomes = await Promise.all(
    Array.from({ length: attack.copies ?? 1 }, () => performSteps(attack, options)),
  )
  options.signal.throwIfAborted()
  const judged = outcomes.map((outcome) => ({ outcome, problem: problemOfSteps(attack, outcome) }))
  const [worst = never()] = judged.toSorted((a, b) => Number(!a.problem) - Number(!b.problem))
  return (await answersNewClient(options)) ? worst : { ...worst, problem: SERVICE_DOWN }
}

function never(): never {
  throw new RangeError('an attack without a connection')
}

/** Returns the problem as a text that is the same for the same fault; undefined if there is none. */
export function problemOfSteps(
  { owed = 0, copies }: Attack,
  {
    ending,
    answers,
    isHttp,
    isReading,
    isAtEnd,
  }: Pick<StepsOutcome, 'ending' | 'answers' | 'isHttp' | 'isReading' | 'isAtEnd'>,
): string | undefined {
  // A service may refuse some of many connections.
  if (ending === 'unreachable') return copies === undefined ? 'no connection' : undefined
  if (ending === 'late') {
    if (!isReading) return 'a connection that stays open although its client does not read'
    if (isAtEnd) return 'a connection that stays open after the server ended its half'
    return answers.length === 0
      ? 'a connection that is neither answered nor closed'
      : 'a connection that stays open after its last answer'
  }
  if (!isHttp) return 'an answer that is not HTTP'
  if (answers.length < owed) return 'an answer that is missing'
  for (const { status, start } of answers) {
    const problem = problemOfAnswer(status, start)
    if (problem !== undefined) return problem
  }
  return undefined
}

/** Whether a new connection gets a 200 from `/healthz`. A service that is only busy has the time of a whole answer. */
async function answersNewClient({ baseUrl, closeMs, timeoutMs, signal }: StepOptions): Promise<boolean> {
  const enough = AbortSignal.any([signal, AbortSignal.timeout(closeMs)])
  const client = baseUrl.startsWith('https:') ? https : http
  const isAnswered = (): Promise<boolean> => {
    const late = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
    return new Promise((resolve) => {
      client
        .get(urlAt(baseUrl, '/healthz'), { agent: false, signal: late }, (answer) => {
          answer.on('error', () => undefined).resume()
          resolve(answer.statusCode === 200)
        })
        .on('error', () => resolve(false))
    })
  }
  return await waitsUntil(isAnswered, { signal: enough })
}
