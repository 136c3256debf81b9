// The settings of a request that are tried together: what each adds to a request, the fields that it needs, and which of
// them cannot be together or cannot be seen together.
import type { Members } from '../../../../contract/capabilities.ts'
import { ABSENT, type Factors, type Rules, type Setting } from '../../../../generate/covering-array.ts'
import type { CaseContext } from '../../case.ts'
import { CONVERT, LOOK_UP, named } from '../tools/tool-requests.ts'
import { FLAT_FORMAT } from '../wire/json-answers.ts'

/** The settings of one request that add something to it. */
export type Combination = readonly Setting[]

/** A word of the prompt: an echo comes to it, and so does many a model. */
const STOP = 'quartz'
const PROMPT = `Repeat in JSON, in one line: stone ${STOP} gold.`

/** Fewer tokens than a text, a call or a value in JSON has. */
const CUT_TOKENS = 3

/** The members of a request by factor and value. Those of messages are made from several factors. */
const members: Readonly<Record<string, Readonly<Record<string, Members>>>> = {
  stream: { true: { stream: true } },
  tools: { offered: { tools: [LOOK_UP, CONVERT] } },
  tool_choice: {
    auto: { tool_choice: 'auto' },
    required: { tool_choice: 'required' },
    'a function': { tool_choice: named(CONVERT.function.name) },
    none: { tool_choice: 'none' },
  },
  response_format: {
    json_object: { response_format: { type: 'json_object' } },
    json_schema: { response_format: FLAT_FORMAT },
  },
  logprobs: { true: { logprobs: true } },
  top_logprobs: { 2: { top_logprobs: 2 } },
  n: { 2: { n: 2 } },
  stop: { 'two strings': { stop: ['granite', STOP] } },
  max_tokens: { [CUT_TOKENS]: { max_tokens: CUT_TOKENS } },
  max_completion_tokens: { [CUT_TOKENS]: { max_completion_tokens: CUT_TOKENS } },
  stream_options: { include_usage: { stream_options: { include_usage: true } } },
  content: { parts: {} },
  messages: { history: {}, 'user-twice': {}, 'assistant-last': {} },
}

/** Not a factor of the plan: each combination is sent plain and streamed. */
export const STREAMED: Setting = { factor: 'stream', value: 'true' }

export const isStreamed = (combination: Combination): boolean =>
  combination.some(({ factor }) => factor === STREAMED.factor)

/** Leaves out `stream` and the settings that need it. */
export const plainOf = (combination: Combination): Combination =>
  combination.filter(({ factor }) => factor !== STREAMED.factor && companions[factor] !== STREAMED)

/** The settings without which a factor is not valid. */
const companions: Readonly<Record<string, Setting>> = {
  tool_choice: { factor: 'tools', value: 'offered' },
  top_logprobs: { factor: 'logprobs', value: 'true' },
  stream_options: STREAMED,
}

const isPresent = ({ value }: Setting): boolean => value !== ABSENT
const forcesCall = ({ factor, value }: Setting): boolean =>
  factor === 'tool_choice' && (value === 'required' || value === 'a function')

/** Factors whose effect does not show in an answer that is cut, and in one that is a call. */
const HIDDEN_BY_CUT: ReadonlySet<string> = new Set(['tool_choice', 'response_format', 'stop'])
const HIDDEN_BY_CALL: ReadonlySet<string> = new Set(['response_format', 'logprobs', 'top_logprobs'])

export const rules: Rules = {
  excludes(one, other) {
    if (!isPresent(one)) return false
    if (!isPresent(other)) return companions[one.factor]?.factor === other.factor
    // A request may have one bound. No row says how a call with a stop string in it ends.
    if (one.factor === 'max_tokens') return other.factor === 'max_completion_tokens'
    return one.factor === 'stop' && forcesCall(other)
  },
  hides(one, other) {
    if (!isPresent(one) || !isPresent(other)) return false
    if (one.factor.startsWith('max_')) return HIDDEN_BY_CUT.has(other.factor)
    if (forcesCall(one)) return HIDDEN_BY_CALL.has(other.factor)
    const both = new Set([one.factor, other.factor])
    return both.has('stop') && both.has('response_format')
  },
}

/** Whether a request with these settings and no others is valid. */
export function isValid(combination: Combination): boolean {
  const present = combination.map(({ factor }) => factor)
  return present.every((factor) => present.includes(companions[factor]?.factor ?? factor))
}

/** The smallest valid combination with a setting, plain or streamed. */
export function withCompanion(setting: Setting, streamed: boolean): Combination {
  const { [setting.factor]: companion } = companions
  const all = [...(streamed ? [STREAMED] : []), ...(companion === undefined ? [] : [companion]), setting]
  return [...new Map(all.map((one) => [one.factor, one])).values()]
}

/** The settings that the target supports, and the absence of each. A field that it refuses by name has no other setting. */
export async function supportedFactors(t: CaseContext): Promise<Factors> {
  const factors: Record<string, readonly string[]> = {}
  for (const [factor, values] of Object.entries(members)) {
    const offered: string[] = [ABSENT]
    for (const [value, added] of Object.entries(values))
      if (await supports(t, factor, added)) offered.push(value)
    if (factor !== STREAMED.factor) factors[factor] = offered
  }
  return factors
}

async function supports(t: CaseContext, factor: string, added: Members): Promise<boolean> {
  if (!Object.hasOwn(added, factor)) return true
  if (factor === STREAMED.factor) return true
  return factor === 'response_format' ? t.target.supports(factor, added) : t.target.supports(factor)
}

/** The settings of a row that add something, each behind the one that it needs. */
export function presentIn(row: readonly Setting[]): Combination {
  const places = Object.keys(members)
  return row
    .filter(isPresent)
    .toSorted((one, other) => places.indexOf(one.factor) - places.indexOf(other.factor))
}

/** The members of the request with these settings, beside those of every request. */
export function membersOf(combination: Combination): Members {
  const added = combination.map(({ factor, value }) => members[factor]?.[value] ?? {})
  return Object.assign({ messages: messagesOf(combination) }, ...added)
}

function messagesOf(combination: Combination): readonly object[] {
  const inParts = combination.some(({ factor }) => factor === 'content')
  const message = (role: string, text: string) => ({
    role,
    content: inParts ? [{ type: 'text', text: text }] : text,
  })
  const prompt = message('user', PROMPT)
  const before = message('user', 'I collect old stones and write down the name of each of them.')
  const reply = message('assistant', 'I repeat the name of every stone, one after the other.')
  switch (combination.find(({ factor }) => factor === 'messages')?.value) {
    case 'history':
      return [message('system', 'Be brief.'), before, reply, prompt]
    case 'user-twice':
      return [before, prompt]
    case 'assistant-last':
      return [prompt, reply]
    default:
      return [prompt]
  }
}

/** The orders of messages that add some to the prompt, as text and in parts, each with the same without them. */
export function longerConversations(): readonly (readonly [longer: Combination, shorter: Combination])[] {
  const parts: Setting = { factor: 'content', value: 'parts' }
  const orders = Object.keys(members['messages'] ?? {}).map((value): Setting => ({
    factor: 'messages',
    value,
  }))
  return [[], [parts]].flatMap((form) => orders.map((order) => [[...form, order], form] as const))
}

/** The settings as a failure names them. A factor that another one needs goes without saying. */
export function describe(combination: Combination): string {
  const needed = new Set(combination.map(({ factor }) => companions[factor]?.factor))
  const names = combination
    .filter(({ factor }) => !needed.has(factor))
    .map(({ factor, value }) => `\`${factor}\` (${value})`)
  if (names.length === 0) return 'of a request without optional fields'
  return names.length === 1 ? `with ${names.join('')} alone` : `with ${names.join(' and ')} together`
}
