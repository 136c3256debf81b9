// The plan of a measurement of streams. It determines every request of a generator, with its seed, so that several
// generators need nothing else in common.
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'

/** A number of tokens, chosen evenly between these bounds, both included. */
export interface TokenRange {
  readonly least: number
  readonly most: number
}

/** `prompt_tokens` of a prompt of one message = `frameTokens` + words × `tokensPerWord`. */
export interface Tokenizer {
  readonly tokensPerWord: number
  readonly frameTokens: number
}

/** The open model sends at planned times; the closed one keeps a number of requests in flight. */
export type LoadModel =
  | { readonly model: 'open'; readonly arrivals: 'poisson' | 'constant'; readonly ratePerSecond: number }
  | {
      readonly model: 'closed'
      readonly concurrency: number
      /** Requests of each caller that must succeed; without it, callers go on for the time of the plan. */
      readonly requestsEach?: number
    }

/** A conversation's beginning from a file of prompts. */
export interface GivenPrompt {
  readonly messages: readonly unknown[]
  /** Replaces the planned number of answer tokens. */
  readonly maxTokens?: number | undefined
}

export interface LatencyPlan {
  readonly schema: 'touchstone.latency-plan/1'
  /** The address of the service, in a form of `harness/http/service-address.ts`. */
  readonly baseUrl: string
  /** The header for the key alone. Default: `Authorization`, with `Bearer` before the key. */
  readonly authHeader?: string | undefined
  readonly model: string
  readonly load: LoadModel
  /** The time in which conversations begin, in seconds. */
  readonly seconds: number
  readonly seed: number
  readonly promptTokens: TokenRange
  readonly answerTokens: TokenRange
  /** The service's count of words and of the frame of a message; without it a word is one token. */
  readonly tokenizer?: Tokenizer | undefined
  /** The number of tokens at the beginning of every prompt that all share. */
  readonly sharedPrefixTokens: number
  /** Requests of one conversation, one after the other. */
  readonly turns: number
  /** Taken in turn instead of generated ones. */
  readonly prompts?: readonly GivenPrompt[] | undefined
  /** Ask for `usage` at the end of each stream (`stream_options.include_usage`). */
  readonly usage: boolean
  /** Further members of each request. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined
  /** The time limit of one answer. */
  readonly timeoutSeconds: number
  /** Stop when the service is over-saturated. */
  readonly stopsEarly: boolean
  /** The start of generators on several machines, in milliseconds of Unix time; without it each starts when it is ready. */
  readonly startsAt?: number | undefined
}

/** The most conversations of one plan: their times are all known before the first. */
export const MOST_CONVERSATIONS = 2_000_000

/** A source of numbers from 0 to 1, 1 excluded. Each purpose and index has its own source, so that segments are independent. */
export function randomOf(seed: number, purpose: number, index: number): () => number {
  // Three odd constants make the seeds of neighbours differ.
  const mixed =
    Math.imul(seed, 0x9e37_79b1) ^ Math.imul(purpose + 1, 0x85eb_ca6b) ^ Math.imul(index + 1, 0xc2b2_ae35)
  const generator = xoroshiro128plus(mixed)
  return () => uniformFloat64(generator)
}

const PURPOSE = { arrivals: 0, promptTokens: 1, answerTokens: 2, words: 3 } as const

/**
 * The beginnings of the conversations in the open model, in milliseconds from the start. With `poisson` the gaps are
 * exponential; the rate is that of the plan on average.
 */
export function arrivalTimes({
  load,
  seconds,
  seed,
}: Pick<LatencyPlan, 'load' | 'seconds' | 'seed'>): readonly number[] {
  if (load.model === 'closed') return []
  const everyMs = 1000 / load.ratePerSecond
  const random = randomOf(seed, PURPOSE.arrivals, 0)
  const times: number[] = []
  let at = load.arrivals === 'constant' ? 0 : -Math.log(1 - random()) * everyMs
  while (at < seconds * 1000) {
    times.push(at)
    at = load.arrivals === 'constant' ? times.length * everyMs : at - Math.log(1 - random()) * everyMs
  }
  return times
}

function within({ least, most }: TokenRange, part: number): number {
  return least + Math.floor(part * (most - least + 1))
}

/** Words that common tokenizers have as one token each, with the space before it. */
const WORDS =
  'time year people way day man thing woman life child world school state family student group country problem hand part place case week company system program question work government number night point home water room mother area money story fact month lot right study book eye job word business issue side kind head house service friend father power hour game line end member law car city community name'.split(
    ' ',
  )

/** `count` words, chosen by this source. */
export function words(count: number, random: () => number): string {
  return Array.from({ length: count }, () => WORDS[Math.floor(random() * WORDS.length)]).join(' ')
}

/** The contents of one request of a conversation. */
export type Turn = ReturnType<typeof turnOf>

/** The turn `turn` (from 1) of conversation `index`; `before` are its messages and answers so far. */
export function turnOf(plan: LatencyPlan, index: number, turn: number, before: readonly unknown[]) {
  const { seed, turns } = plan
  const place = index * turns + turn - 1
  const maxTokens = within(plan.answerTokens, randomOf(seed, PURPOSE.answerTokens, place)())
  const given = plan.prompts?.[index % plan.prompts.length]
  if (given !== undefined && turn === 1)
    return { messages: given.messages, maxTokens: given.maxTokens ?? maxTokens }
  const { tokensPerWord, frameTokens } = plan.tokenizer ?? { tokensPerWord: 1, frameTokens: 0 }
  const tokens = within(plan.promptTokens, randomOf(seed, PURPOSE.promptTokens, place)())
  const count = Math.max(1, Math.round((tokens - frameTokens) / tokensPerWord))
  const shared = turn === 1 ? Math.min(Math.round(plan.sharedPrefixTokens / tokensPerWord), count) : 0
  const prefix = words(shared, randomOf(seed, PURPOSE.words, -1))
  const rest = words(count - shared, randomOf(seed, PURPOSE.words, place))
  const content = [prefix, rest].filter((text) => text !== '').join(' ')
  return { messages: [...before, { role: 'user', content }], maxTokens }
}
