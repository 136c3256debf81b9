// What a run costs: the tokens that a target counts in the usage of its answers.
import { readStream } from '../../harness/http/event-stream.ts'
import { type Exchange, json, text } from '../../harness/http/exchange.ts'
import { at } from '../../harness/verify/json-value.ts'

export interface TokenCount {
  readonly prompt: number
  readonly completion: number
}

export interface TokenMeter {
  see(exchange: Exchange): void
  count(): TokenCount
}

/** Makes a meter that stands at zero. An answer without a usage counts nothing. */
export function createTokenMeter(): TokenMeter {
  let prompt = 0
  let completion = 0
  return {
    see(exchange) {
      const usage = usageOf(exchange)
      prompt += countOf(at(usage, 'prompt_tokens'))
      completion += countOf(at(usage, 'completion_tokens'))
    },
    count: () => ({ prompt, completion }),
  }
}

function usageOf(exchange: Exchange): unknown {
  if (exchange.response.status !== 200 || !text(exchange)?.includes('"usage"')) return undefined
  return at(json(exchange), 'usage') ?? readStream(exchange).usage
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}
