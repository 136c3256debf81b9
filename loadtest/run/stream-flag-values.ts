// The values of the flags for streams.
import { readGiven } from '../../harness/bounds/read-file.ts'
import { type Reader, notEmpty } from '../../harness/cli/flag-values.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { at, isRecord, parseJson } from '../../harness/json-value.ts'
import type { Slo } from '../latency/latency-figures.ts'
import type { GivenPrompt, TokenRange } from '../generator/stream-plan.ts'

/** The most tokens of one prompt or answer that can be planned. */
const MOST_TOKENS = 1_000_000

/** The largest file of prompts, in bytes: it is read whole. */
const MOST_PROMPT_BYTES = 64 * 1024 * 1024

const OBJECTIVES = ['ttft', 'tpot', 'e2e'] as const

/** `ttft=500,tpot=50,e2e=5000`, each in milliseconds and at most once. */
export const slo: Reader<Slo> = (value, name) => {
  const found: { -readonly [Name in keyof Slo]: Slo[Name] } = {}
  for (const part of value.split(',')) {
    const [, word, ms] = /^\s*(\w+)=(\d+(?:\.\d+)?)\s*$/.exec(part) ?? []
    const objective = OBJECTIVES.find((each) => each === word)
    if (objective === undefined || Number(ms) <= 0 || found[objective] !== undefined)
      throw new UsageError(`${name}: expected ttft=MS,tpot=MS,e2e=MS, each at most once, got '${value}'`)
    found[objective] = Number(ms)
  }
  return found
}

/** A percentage above 0 and at most 100, as a share. */
export const share: Reader<number> = (value, name) => {
  const percent = Number(value)
  if (/^\d+(\.\d+)?$/.test(value) && percent > 0 && percent <= 100) return percent / 100
  throw new UsageError(`${name}: expected a percentage above 0 and at most 100, got '${value}'`)
}

/** `128` or `64-256`. */
export const tokenRange: Reader<TokenRange> = (value, name) => {
  const [, first = '', last = first] = /^(\d+)(?:-(\d+))?$/.exec(value) ?? []
  const [least, most] = [Number(first), Number(last)]
  if (first !== '' && least >= 1 && most >= least && most <= MOST_TOKENS) return { least, most }
  throw new UsageError(
    `${name}: expected a number from 1 to ${MOST_TOKENS} or a range, as 64-256, got '${value}'`,
  )
}

/** Requests per second: a number above 0 and at most 100000, perhaps with a fraction. */
export const rate: Reader<number> = (value, name) => {
  const number = Number(value)
  if (/^\d+(\.\d+)?$/.test(value) && number > 0 && number <= 100_000) return number
  throw new UsageError(`${name}: expected a number above 0 and at most 100000, got '${value}'`)
}

/** JSON Lines with `prompt` or `messages`, and optionally `max_tokens`. */
export const promptFile: Reader<readonly GivenPrompt[]> = (value, name) => {
  const file = notEmpty(value, name)
  const text = readGiven(`${name}: ${file} cannot be read`, file, MOST_PROMPT_BYTES).toString('utf8')
  const lines = text
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [{ line, at: index + 1 }]))
  if (lines.length === 0) throw new UsageError(`${name}: ${file} has no prompt`)
  return lines.map(({ line, at: place }) => promptIn(line, `${name}: ${file}, line ${place}`))
}

function promptIn(line: string, place: string): GivenPrompt {
  const value = parseJson(line)
  if (!isRecord(value)) throw new UsageError(`${place}: expected a JSON object`)
  const [prompt, messages, maxTokens] = [at(value, 'prompt'), at(value, 'messages'), at(value, 'max_tokens')]
  if ((typeof prompt === 'string') === (Array.isArray(messages) && messages.length > 0))
    throw new UsageError(`${place}: expected 'prompt', a string, or 'messages', a list that is not empty`)
  if (maxTokens !== undefined && !(Number.isInteger(maxTokens) && Number(maxTokens) > 0))
    throw new UsageError(`${place}: 'max_tokens': expected a whole number above 0`)
  return {
    messages: Array.isArray(messages) ? messages : [{ role: 'user', content: prompt }],
    maxTokens: maxTokens === undefined ? undefined : Number(maxTokens),
  }
}
