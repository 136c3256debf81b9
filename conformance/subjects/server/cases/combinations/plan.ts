// Requests with any two settings together, sent once in a run: the rows of all their answers are judged by cases that share
// them.
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { TransportError } from '../../../../../harness/http/transport-error.ts'
import { type Setting, coveringArray } from '../../../../generate/covering-array.ts'
import type { CaseContext } from '../../case.ts'
import { isSuccess, plainAnswer, steadyMembers } from '../requests/chat-calls.ts'
import {
  type Combination,
  STREAMED,
  isStreamed,
  isValid,
  membersOf,
  plainOf,
  presentIn,
  rules,
  supportedFactors,
  withCompanion,
} from './settings.ts'

const SEED = 1

/** A slow target is judged on `LEAST_ROWS` combinations if they take longer than this, in milliseconds. */
const MAX_PLAN_MS = 40_000
const LEAST_ROWS = 8

/** The bound of an answer that is not cut, in answers of a few words: enough for a call. */
const BRIEF_ANSWERS = 2

export interface Answered {
  readonly combination: Combination
  readonly exchange: Exchange
}

export interface Plan {
  /** The answers to each combination, plain and, if there are streams, streamed. */
  readonly answers: readonly (readonly Answered[])[]
  /** Why not all of them were sent. */
  readonly broken?: TransportError
}

const plans = new WeakMap<object, Promise<Plan>>()

/** The answers to the plan of this run, which is sent for the first case that needs them. */
export const sharedPlan = (t: CaseContext): Promise<Plan> => t.shared(plans, () => sendPlan(t))

/** Sends the request with these settings. */
export async function ask(t: CaseContext, combination: Combination): Promise<Exchange> {
  const bound = await t.target.brief(BRIEF_ANSWERS * t.target.plan().briefTokens)
  const hasBound = combination.some(({ factor }) => Object.hasOwn(bound, factor) || factor.startsWith('max_'))
  const request = { ...(hasBound ? {} : bound), ...(await steadyMembers(t)), ...membersOf(combination) }
  return t.chat(request)
}

async function sendPlan(t: CaseContext): Promise<Plan> {
  await plainAnswer(t)
  const rows = coveringArray(await supportedFactors(t), rules, SEED)
  const offered = offeredSettings(t)
  const answers: (readonly Answered[])[] = []
  const enoughAt = performance.now() + MAX_PLAN_MS
  for (const row of rows) {
    if (answers.length >= LEAST_ROWS && performance.now() > enoughAt) break
    const combination = presentIn(row)
    try {
      const both = [plainOf(combination), [STREAMED, ...combination]].map((own) => answer(t, own, offered))
      answers.push((await Promise.all(both)).filter((one) => one !== undefined))
    } catch (error) {
      if (!(error instanceof TransportError)) throw error
      return { answers, broken: error }
    }
  }
  return { answers }
}

type Offered = (setting: Setting, streamed: boolean) => Promise<boolean>

/** The answer to these settings, without those that the target refuses alone; undefined if it streams nothing. */
async function answer(t: CaseContext, combination: Combination, offered: Offered) {
  const exchange = await ask(t, combination)
  if (isSuccess(exchange)) return { combination, exchange }
  const left: Setting[] = []
  for (const setting of combination) if (await offered(setting, isStreamed(combination))) left.push(setting)
  if (left.length === combination.length) return { combination, exchange }
  const isAnswerable = isStreamed(combination) === isStreamed(left) && isValid(left)
  return isAnswerable ? { combination: left, exchange: await ask(t, left) } : undefined
}

/** Whether a setting is taken alone. Other checks judge one that is not: it is left out of the combinations. */
function offeredSettings(t: CaseContext): Offered {
  const known = new Map<string, Promise<boolean>>()
  const isTaken = async (combination: Combination) => isSuccess(await ask(t, combination))
  return (setting, streamed) => {
    const alone = withCompanion(setting, streamed)
    const id = JSON.stringify(alone)
    const taken = known.get(id) ?? isTaken(alone)
    known.set(id, taken)
    return taken
  }
}
