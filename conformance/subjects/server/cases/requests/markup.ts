// The text of answers, observed in every answer: markup of a chat template, of tool calls or of reasoning in it (WIRE-27),
// and the name under which answers give their reasoning (WIRE-29).
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { show, at, listAt } from '../../../../../harness/json-value.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { type CaseContext } from '../../case.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import { askedOf, isCompletion, isStreamed, ofValidRequests, textsOf } from './asked.ts'
import { readStream } from '../../../../../harness/http/event-stream.ts'

/** The names of elements in which models write calls or reasoning. */
const ELEMENTS =
  'tool_calls?|tool_response|function_calls?|invoke|think|thinking|thought|reasoning|start_of_turn|end_of_turn'

const BRACKETED = 'INST|TOOL_CALLS|TOOL_RESULTS|AVAILABLE_TOOLS|THINK|SYSTEM_PROMPT'

/** Special tokens such as `<|im_end|>`, elements such as `<think>`, and bracketed words such as `[INST]`. */
const MARKUP = new RegExp(
  [
    String.raw`<[|｜][\w▁]{2,40}[|｜]>`,
    `</?(?:${ELEMENTS})>`,
    String.raw`<function=[\w.-]+>`,
    String.raw`\[/?(?:${BRACKETED})\]`,
    '<</?SYS>>',
  ].join('|'),
  'gu',
)

/** Whether a prompt or a tool has this text: models may repeat it. */
const isInRequest = (exchange: Exchange, text: string) => JSON.stringify(askedOf(exchange)).includes(text)

/** The first markup in the text of an answer that its request does not have. */
export function markupIn(exchange: Exchange): string | undefined {
  return textsOf(exchange)
    .flatMap((text) => text.match(MARKUP) ?? [])
    .find((found) => !isInRequest(exchange, found))
}

/** Ends the case if the text of an answer has markup, for rows that compare the text with what was requested. */
export function requireNoMarkup(t: CaseContext, exchange: Exchange): void {
  const found = markupIn(exchange)
  if (found !== undefined) t.inconclusive(`the text has the markup ${found}, which WIRE-27 judges`)
}

const noMarkup: Verifier = (exchange) => {
  const found = markupIn(exchange)
  if (found === undefined) return undefined
  const text = textsOf(exchange).find((content) => content.includes(found))
  return { expected: 'content without markup of templates, calls or reasoning', actual: show(text) }
}

export const markupObservers: readonly Observer[] = [
  observe('wire.every-text', 'WIRE-27', 'no markup in the text of any answer')
    .on((exchange) => isCompletion(exchange) || isStreamed(exchange))
    .verify(noMarkup),
].map(ofValidRequests)

const NAMES = ['reasoning_content', 'reasoning']

function namesIn(exchange: Exchange): readonly string[] {
  const holders = isCompletion(exchange)
    ? listAt(json(exchange), 'choices').map((choice) => at(choice, 'message'))
    : readStream(exchange).choices.flatMap(({ deltas }) => deltas)
  const hasText = (name: string) => (holder: unknown) => {
    const text = at(holder, name)
    return typeof text === 'string' && text !== ''
  }
  return NAMES.filter((name) => holders.some(hasText(name)))
}

function oneName(): Verifier {
  const seen = new Set<string>()
  return (exchange) => {
    for (const name of namesIn(exchange)) seen.add(name)
    if (seen.size <= 1) return undefined
    return { expected: 'reasoning under one name in all answers', actual: [...seen].join(' and ') }
  }
}

export const reasoningObservers: readonly Observer[] = [
  observe('wire.every-reasoning', 'WIRE-29', 'the name of the reasoning in all answers of the run')
    .on((exchange) => (isCompletion(exchange) || isStreamed(exchange)) && namesIn(exchange).length > 0)
    .compare(oneName),
].map(ofValidRequests)
