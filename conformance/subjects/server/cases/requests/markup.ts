// The text of answers, observed in every answer: markup of a chat template, of tool calls or of reasoning in it (WIRE-27),
// and the name under which answers give their reasoning (WIRE-29).
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { show, at, listAt, parseJson } from '../../../../../harness/json-value.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { type CaseContext } from '../../case.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import { askedOf, isCompletion, isStreamed, ofValidRequests, readsAsStream } from './asked.ts'
import { markersIn } from './markers.ts'
import { readStream } from '../../../../../harness/http/event-stream.ts'

const REASONING = ['reasoning_content', 'reasoning']

/** The members of a message that have text of the model. */
const TEXTS = ['content', ...REASONING]

/** Whether a prompt or a tool has this text, or the text has it in JSON: models may repeat it. */
function isInRequest(exchange: Exchange, text: string): boolean {
  const request = JSON.stringify(askedOf(exchange))
  return request.includes(text) || unescaped(request).includes(text)
}

/** Quotes of JSON texts in JSON texts are read as quotes: a marker may contain one. */
const unescaped = (text: string): string => text.replaceAll(/\\+"/g, '"')

/** The texts of every choice of an answer: content, reasoning and the arguments of calls, each joined if they were streamed. */
function writtenTexts(exchange: Exchange): readonly string[] {
  if (readsAsStream(exchange))
    return readStream(exchange).choices.flatMap(({ deltas, toolCalls }) =>
      TEXTS.map((name) => deltas.map((delta) => textAt(delta, name)).join('')).concat(
        toolCalls.flatMap(argumentTexts),
      ),
    )
  return listAt(json(exchange), 'choices')
    .map((choice) => at(choice, 'message'))
    .flatMap((message) =>
      TEXTS.map((name) => textAt(message, name)).concat(
        listAt(message, 'tool_calls').flatMap((call) => argumentTexts(at(call, 'function'))),
      ),
    )
}

/** The arguments as they came, and without the escapes in which JSON may write characters. */
function argumentTexts(described: unknown): readonly string[] {
  const text = textAt(described, 'arguments')
  return [text, unescaped(JSON.stringify(parseJson(text)) ?? '')]
}

function textAt(holder: unknown, name: string): string {
  const text = at(holder, name)
  return typeof text === 'string' ? text : ''
}

/** The reasoning of messages, joined: of a plain message, or of the deltas of a choice. Under several names it is one text. */
export function thoughtsOf(messages: readonly unknown[]): string {
  const texts = REASONING.map((name) => messages.map((message) => textAt(message, name)).join(''))
  return texts.find((text) => text !== '') ?? ''
}

/** The first text of an answer with a marker that its request does not have. */
function markedIn(exchange: Exchange) {
  return writtenTexts(exchange)
    .flatMap((text) => markersIn(text).map((marker) => ({ text, marker })))
    .find(({ marker }) => !isInRequest(exchange, marker))
}

/** The first marker in the texts of an answer that its request does not have. */
export const markupIn = (exchange: Exchange): string | undefined => markedIn(exchange)?.marker

/** Ends the case if the text of an answer has markup, for rows that compare the text with what was requested. */
export function requireNoMarkup(t: CaseContext, exchange: Exchange): void {
  const found = markupIn(exchange)
  if (found !== undefined) t.inconclusive(`the text has the markup ${found}, which WIRE-27 judges`)
}

const noMarkup: Verifier = (exchange) => {
  const found = markedIn(exchange)
  if (found === undefined) return undefined
  const expected = 'texts without markup of templates, calls or reasoning'
  return { expected, actual: `${found.marker} in ${show(found.text)}` }
}

export const markupObservers: readonly Observer[] = [
  observe('wire.every-text', 'WIRE-27', 'no markup in the text of any answer')
    .on((exchange) => isCompletion(exchange) || isStreamed(exchange))
    .verify(noMarkup),
].map(ofValidRequests)

function namesIn(exchange: Exchange): readonly string[] {
  const holders = isCompletion(exchange)
    ? listAt(json(exchange), 'choices').map((choice) => at(choice, 'message'))
    : readStream(exchange).choices.flatMap(({ deltas }) => deltas)
  const hasText = (name: string) => (holder: unknown) => {
    const text = at(holder, name)
    return typeof text === 'string' && text !== ''
  }
  return REASONING.filter((name) => holders.some(hasText(name)))
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
