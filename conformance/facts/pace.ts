// The pace of a model, and the plan of a run that follows from it: a slow model gets short bounds, one at a time
// if it computes one at a time.
import { type Exchange, json } from '../../harness/http/exchange.ts'
import type { RequestSpec } from '../../harness/http/probe.ts'
import { at } from '../../harness/json-value.ts'
import { CHAT_PATH, type Pace, type Plan, TOKEN_BOUNDS } from '../contract/target.ts'

/** The plan for a model that answers at once, and before the pace is known. */
export const FAST_PLAN: Plan = {
  briefTokens: 32,
  wholeTokens: 512,
  mostTokens: 8192,
  concurrency: undefined,
  pace: undefined,
}

/** A model whose first answer takes less is fast, however few tokens the answer has; in milliseconds. */
const FAST_ANSWER_MS = 50

/** A model whose tokens take less is fast; in milliseconds. Its answers of 512 tokens take 3 seconds at most. */
const FAST_TOKEN_MS = 6

/** The time of a brief answer and of a first attempt at a whole one, in milliseconds, and their fewest tokens. */
const BRIEF_MS = 800
const WHOLE_MS = 3000
const LEAST_BRIEF_TOKENS = 8
const LEAST_WHOLE_TOKENS = 32

/** The share of the time limit of an answer that its tokens may take. */
const ANSWER_SHARE = 0.4

/** The tokens of the answer that is timed. */
const TIMED_TOKENS = 12

/** Two answers are computed in turn if together they take more than the longer one and this share of the other. */
const SERIAL_SHARE = 0.6

/** Two answers slow each other down if together they take more than the longer one and this share of the other. */
const SHARED_SHARE = 0.25

/** Checks that run concurrently on a target whose answers slow each other down. */
const SHARED_CONCURRENCY = 2

/** The prompts of timed answers have one length and begin differently, so that no prompt is already evaluated. */
export const TIMED_PROMPT = 'Count from one to fifty in words.'
const promptOf = (place: number): string => `${place}. ${TIMED_PROMPT}`

/**
 * Measures the pace of a model that has answered once, with four requests at most. Undefined if it is fast or shows no pace.
 */
export async function measurePace(
  first: Exchange,
  model: string,
  ask: (request: RequestSpec) => Promise<Exchange>,
): Promise<Pace | undefined> {
  const fastMs = Math.max(FAST_ANSWER_MS, FAST_TOKEN_MS * (tokensOf(first) ?? 1))
  if (first.response.status !== 200 || first.timings.totalMs < fastMs) return undefined
  const body = new TextDecoder().decode(first.request.body)
  const bound = TOKEN_BOUNDS.find((field) => body.includes(`"${field}"`))
  if (bound === undefined) return undefined
  let prompts = 0
  const answer = async (tokens: number): Promise<{ ms: number; tokens: number }> => {
    prompts += 1
    const messages = [{ role: 'user', content: promptOf(prompts) }]
    const exchange = await ask({
      path: CHAT_PATH,
      body: JSON.stringify({ model, messages, [bound]: tokens }),
    })
    return { ms: exchange.timings.totalMs, tokens: tokensOf(exchange) ?? tokens }
  }
  const short = await answer(1)
  const long = await answer(TIMED_TOKENS)
  // An answer that ended early has no more tokens to time: its whole time counts as theirs.
  const tokenMs =
    long.tokens > short.tokens
      ? (long.ms - short.ms) / (long.tokens - short.tokens)
      : long.ms / Math.max(1, long.tokens)
  if (tokenMs < FAST_TOKEN_MS) return undefined
  const both = await Promise.all([answer(TIMED_TOKENS), answer(TIMED_TOKENS)])
  const [fewer = 0, more = 0] = both.map(({ tokens }) => tokens).toSorted((a, b) => a - b)
  const tookMs = Math.max(...both.map(({ ms }) => ms))
  const isLonger = (share: number): boolean => tookMs > (more + share * fewer) * tokenMs
  return { tokenMs, isSerial: isLonger(SERIAL_SHARE), isShared: isLonger(SHARED_SHARE) }
}

/** The tokens of an answer, as the target counts them. */
function tokensOf(exchange: Exchange): number | undefined {
  const counted = at(json(exchange), 'usage', 'completion_tokens')
  return typeof counted === 'number' ? counted : undefined
}

/**
 * Returns the plan for this pace.
 *
 * @param timeoutMs the longest time for an answer
 * @param contextTokens the size of the context of the model
 */
export function planOf(pace: Pace | undefined, timeoutMs: number, contextTokens = Infinity): Plan {
  const inTime = pace === undefined ? Infinity : (ANSWER_SHARE * timeoutMs) / pace.tokenMs
  // A prompt takes a part of the context.
  const mostTokens = Math.max(1, Math.floor(Math.min(FAST_PLAN.mostTokens, contextTokens / 2, inTime)))
  const tokensIn = (ms: number, least: number, most: number): number => {
    const tokens = pace === undefined ? most : Math.floor(ms / pace.tokenMs)
    return Math.min(Math.max(least, Math.min(tokens, most)), mostTokens)
  }
  return {
    briefTokens: tokensIn(BRIEF_MS, LEAST_BRIEF_TOKENS, FAST_PLAN.briefTokens),
    wholeTokens: tokensIn(WHOLE_MS, LEAST_WHOLE_TOKENS, FAST_PLAN.wholeTokens),
    mostTokens,
    concurrency: pace?.isSerial === true ? 1 : pace?.isShared === true ? SHARED_CONCURRENCY : undefined,
    pace,
  }
}

export function describePace({ tokenMs, isSerial }: Pace): string {
  const speed = `${Number((1000 / tokenMs).toPrecision(2))} tokens per second`
  return isSerial ? `${speed}, one answer at a time` : speed
}
