// Prompts whose number of tokens is known beforehand, and the search for one that is longer than the context of the model:
// once for all checks that need one (MODEL-9, ERR-10). It stops where the budget or the time of a run ends.
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { at, listAt } from '../../../../../harness/json-value.ts'
import { type StatedLength, speaksOfContext, statedLengths } from '../../../../facts/context-facts.ts'
import type { CaseContext } from '../../case.ts'
import { isSuccess } from '../requests/chat-calls.ts'
import { modelList, modelPath } from '../requests/endpoints.ts'

/** A prompt that was sent, with its answer. */
export interface SentPrompt {
  readonly lines: number
  /** The tokens that it has by the counts of shorter ones, as a range: it is narrow if the service counts. */
  readonly tokens: { readonly least: number; readonly most: number }
  readonly exchange: Exchange
}

export interface LongPrompts {
  /** The lengths that the records of the model state and MODEL-9 names. */
  readonly stated: readonly number[]
  /** The prompts that were sent, from the shortest to the longest; the last one may be refused. */
  readonly sent: readonly SentPrompt[]
  /** The prompt that was refused because of its length, if there is one. */
  readonly refused: SentPrompt | undefined
  /** Why no longer one was sent. */
  readonly bound: string
}

/** The parts of a stated length that a prompt clearly within and clearly beyond it has. */
const WITHIN = 0.5
const BEYOND = 1.3

/** The sizes of prompts that any service may have to answer, in tokens. */
const FIRST_TOKENS = 4000
const QUICK_TOKENS = [FIRST_TOKENS, 10_000]
const WHOLE_TOKENS = [...QUICK_TOKENS, 40_000]

/** The largest prompt that should be refused, in tokens: a service that takes it computes as many, and one that echoes none. */
const MOST_BEYOND = { quick: 50_000, whole: 200_000, echo: 2_000_000 }

/** No prompt is sent that probably takes longer, in milliseconds. */
const LONGEST_MS = 25_000

/** The numbers of lines whose tokens are compared. */
const [FEW, MORE] = [1, 4]

/** The tokens of a line, if a service does not count: five words and a number, and at most one for each character. */
const LINE_TOKENS = { least: 6, most: 34 }

/** Each line is another one, and has as many characters. */
const FIRST_LINE = 10_000

/** Instructions of this many lines before a short message, which a model that echoes answers briefly. */
export function promptOf(lines: number, beginning = ''): readonly object[] {
  const text = Array.from({ length: lines }, (_, line) => `Line ${FIRST_LINE + line} mentions gold, stone.`)
  return [
    { role: 'system', content: beginning + text.join('\n') },
    { role: 'user', content: 'Say hello.' },
  ]
}

export const promptTokensOf = (exchange: Exchange): number | undefined => {
  const tokens: unknown = at(json(exchange), 'usage', 'prompt_tokens')
  return typeof tokens === 'number' ? tokens : undefined
}

/** The records of the judged model: in the list, and alone. */
export async function modelRecords(t: CaseContext): Promise<readonly { name: string; record: unknown }[]> {
  const { model } = t.target
  const list = await t.send(modelList.request(t))
  const alone = await t.send({ path: modelPath(model) })
  return [
    { name: 'the list', record: listAt(json(list), 'data').find((one) => at(one, 'id') === model) },
    { name: 'the record alone', record: isSuccess(alone) ? json(alone) : undefined },
  ]
}

const isLength = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0

const lengthsOf = (stated: readonly StatedLength[], use: StatedLength['use']): readonly number[] =>
  stated.flatMap((length) => (length.use === use && isLength(length.value) ? [length.value] : []))

const found = new WeakMap<object, Promise<LongPrompts>>()

/** Returns what the search of this run found. */
export const longPrompts = (t: CaseContext): Promise<LongPrompts> => t.shared(found, () => search(t))

type PromptSize = (tokens: number, bound: 'least' | 'most') => Pick<SentPrompt, 'lines' | 'tokens'>

const measured = new WeakMap<object, Promise<PromptSize>>()

/** Returns a function from tokens to a prompt that has at most or at least as many. */
export const promptSizes = (t: CaseContext): Promise<PromptSize> => t.shared(measured, () => measure(t))

async function search(t: CaseContext): Promise<LongPrompts> {
  const lengths = (await modelRecords(t)).flatMap(({ record }) => statedLengths(record))
  const stated = lengthsOf(lengths, 'judged')
  const sizing = stated.length > 0 ? stated : lengthsOf(lengths, 'sized')
  const size = await promptSizes(t)
  const sent: SentPrompt[] = []
  let msPerToken = 0

  /** Sends a prompt; undefined if that would take too long. */
  async function send(prompt: Pick<SentPrompt, 'lines' | 'tokens'>): Promise<SentPrompt | undefined> {
    if (msPerToken * prompt.tokens.least > LONGEST_MS) return undefined
    const began = t.now()
    const exchange = await t.chat({ messages: promptOf(prompt.lines) })
    if (isSuccess(exchange)) msPerToken = (t.now() - began) / prompt.tokens.least
    const one = { ...prompt, exchange }
    sent.push(one)
    return one
  }
  const isRefused = (one: SentPrompt | undefined): boolean => one !== undefined && !isSuccess(one.exchange)
  const result = (bound: string, last = sent.at(-1)): LongPrompts => {
    return { stated, sent, refused: isRefused(last) ? last : undefined, bound }
  }

  const sizes = t.quick ? QUICK_TOKENS : WHOLE_TOKENS
  const within = Math.min(Infinity, ...sizing) * WITHIN
  let largest = 0
  for (const tokens of sizes) {
    const next = Math.min(tokens, within)
    if (next <= largest) break
    largest = next
    const one = await send(size(next, 'most'))
    if (one === undefined)
      return result(`a prompt of ${next} tokens would take more than ${LONGEST_MS / 1000} s`)
    if (isRefused(one)) return result('')
  }
  if (sizing.length === 0) return result(`no prompt of up to ${largest} tokens was longer than the context`)
  const beyond = Math.ceil(Math.max(...sizing) * BEYOND)
  const most =
    (await t.target.echoes()) && !t.quick ? MOST_BEYOND.echo : MOST_BEYOND[t.quick ? 'quick' : 'whole']
  if (beyond > most)
    return result(
      `a prompt of ${beyond} tokens, which is longer than the context, is beyond the budget of this run (${most})`,
    )
  const one = await send(size(beyond, 'least'))
  if (one === undefined)
    return result(
      `a prompt of ${beyond} tokens would take more than ${LONGEST_MS / 1000} s if it were answered`,
    )
  return result(`a prompt of ${beyond} tokens was answered`)
}

async function measure(t: CaseContext): Promise<PromptSize> {
  const counts: (number | undefined)[] = []
  for (const lines of [FEW, MORE]) {
    const exchange = await t.chat({ messages: promptOf(lines) })
    if (!isSuccess(exchange)) t.inconclusive(`a prompt of ${lines} lines is refused, which CHAT-2 judges`)
    counts.push(promptTokensOf(exchange))
  }
  const [few, more] = counts
  const counted = few === undefined || more === undefined ? 0 : (more - few) / (MORE - FEW)
  const line = counted > 0 ? { least: counted, most: counted } : LINE_TOKENS
  const rest = counted > 0 && few !== undefined ? Math.max(0, few - FEW * counted) : 0
  return (tokens, bound) => {
    const exact = (tokens - rest) / line[bound]
    const lines = Math.max(1, bound === 'most' ? Math.floor(exact) : Math.ceil(exact))
    return {
      lines,
      tokens: { least: Math.round(rest + lines * line.least), most: Math.round(rest + lines * line.most) },
    }
  }
}

/** Whether a refusal is one of the length of its prompt: a 400, or one that speaks of the context. */
export function isOverflow(exchange: Exchange): boolean {
  const { status } = exchange.response
  return status === 400 || (status > 400 && speaksOfContext(at(json(exchange), 'error')))
}
