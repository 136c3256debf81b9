// The token cost of a run, from the usage in the answers of the target, and its budget.
import { readStream } from '../../harness/http/event-stream.ts'
import { type Exchange, json, text } from '../../harness/http/exchange.ts'
import type { RequestSpec } from '../../harness/http/probe.ts'
import { at, parseJson } from '../../harness/json-value.ts'
import { Inconclusive } from '../contract/outcome.ts'

/** The estimated bytes of JSON for one token. */
const BYTES_PER_TOKEN = 4

/** The estimated cost of an answer without a bound, in tokens. */
const UNBOUNDED_ANSWER_TOKENS = 256

export type TokenMeter = ReturnType<typeof createTokenMeter>

/** Makes a meter. An answer without usage does not count. */
export function createTokenMeter() {
  let prompt = 0
  let completion = 0
  return {
    see(exchange: Exchange): void {
      const usage = usageOf(exchange)
      prompt += countOf(at(usage, 'prompt_tokens'))
      completion += countOf(at(usage, 'completion_tokens'))
    },
    count: () => ({ prompt, completion }),
  }
}

export type TokenBudget = ReturnType<typeof createTokenBudget>

/** Makes a budget of tokens for a run. Counted, estimated and reserved tokens all count against it. */
export function createTokenBudget(most: number) {
  let spent = 0
  let inFlight = 0
  return {
    /** Reserves the tokens of a request until the returned function is called. Throws `Inconclusive` if too few are left. */
    reserve(request: RequestSpec): () => void {
      // Most runs have no bound, and the cost of a request is in its body.
      if (most === Infinity) return () => {}
      const tokens = costOf(request)
      if (spent + inFlight + tokens > most)
        throw new Inconclusive(`the run's budget of ${most} tokens is spent (--max-tokens-total)`)
      inFlight += tokens
      return () => void (inFlight -= tokens)
    },
    see(exchange: Exchange): void {
      const usage = usageOf(exchange)
      const counted = countOf(at(usage, 'prompt_tokens')) + countOf(at(usage, 'completion_tokens'))
      if (counted > 0) spent += counted
      // A stream seldom has `usage`, so its tokens are estimated from its length. A refusal costs nothing.
      else if (exchange.response.status === 200 && exchange.request.body !== undefined)
        spent += tokensIn(exchange.request.body.length) + tokensIn(exchange.response.body.length)
    },
  }
}

function costOf({ body }: RequestSpec): number {
  if (body === undefined) return 0
  const request = typeof body === 'string' ? parseJson(body) : parseJson(new TextDecoder().decode(body))
  const bound = [at(request, 'max_tokens'), at(request, 'max_completion_tokens')]
    .map(countOf)
    .filter((most) => most > 0)
  const choices = Math.max(1, countOf(at(request, 'n')))
  return tokensIn(body.length) + choices * Math.min(...bound, UNBOUNDED_ANSWER_TOKENS)
}

function tokensIn(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN)
}

function usageOf(exchange: Exchange): unknown {
  if (exchange.response.status !== 200 || !text(exchange)?.includes('"usage"')) return undefined
  return at(json(exchange), 'usage') ?? readStream(exchange).usage
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}
