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
  readonly answers: readonly Answered[]
  /** The plain and the streamed answers to the same combinations. */
  readonly pairs: readonly (readonly [plain: Answered, streamed: Answered])[]
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
  const isOffered = offeredSettings(t)
  const answers: Answered[] = []
  const pairs: (readonly [Answered, Answered])[] = []
  const enoughAt = t.now() + MAX_PLAN_MS
  for (const [place, row] of rows.entries()) {
    if (place >= LEAST_ROWS && t.now() > enoughAt) break
    const combination = presentIn(row)
    try {
      const plain = await answersTo(t, plainOf(combination), isOffered)
      const streamed = await answersTo(t, [STREAMED, ...combination], isOffered)
      answers.push(...plain, ...streamed)
      const [one, other] = [plain.at(-1), streamed.at(-1)]
      if (one !== undefined && other !== undefined) pairs.push([one, other])
    } catch (error) {
      if (!(error instanceof TransportError)) throw error
      return { answers, pairs, broken: error }
    }
  }
  return { answers, pairs }
}

type IsOffered = (setting: Setting, streamed: boolean) => Promise<boolean>

/**
 * The answers to these settings, without those that the target refuses alone. After a stream that is refused for a single
 * setting, the same is sent without that.
 */
async function answersTo(
  t: CaseContext,
  combination: Combination,
  isOffered: IsOffered,
): Promise<readonly Answered[]> {
  const exchange = await ask(t, combination)
  if (isSuccess(exchange)) return [{ combination, exchange }]
  const offered = async (streamed: boolean): Promise<Combination> => {
    const taken: Setting[] = []
    for (const setting of combination) if (await isOffered(setting, streamed)) taken.push(setting)
    return taken
  }
  const alone = await offered(false)
  if (isStreamed(alone) !== isStreamed(combination)) return []
  if (alone.length < combination.length) return isValid(alone) ? answersTo(t, alone, isOffered) : []
  const streamable = isStreamed(combination) ? await offered(true) : combination
  const isLess = streamable.length < combination.length && isValid(streamable)
  const rest = isLess ? [{ combination: streamable, exchange: await ask(t, streamable) }] : []
  return [{ combination, exchange }, ...rest]
}

/** Whether a setting is taken alone, plain or streamed. Other checks judge one that is not. */
function offeredSettings(t: CaseContext): IsOffered {
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
