// Requests whose answer is known beforehand: the text itself where the model echoes, else what the model always says.
import fc from 'fast-check'
import { json } from '../../../../../harness/http/exchange.ts'
import { at } from '../../../../../harness/json-value.ts'
import { choicesOf, contentOf } from '../../../../../harness/verify/verify-completion.ts'
import type { CaseContext } from '../../case.ts'
import type { Members } from '../../../../contract/capabilities.ts'
import { requireNoMarkup } from './markup.ts'
import { messagesOf } from './chat-calls.ts'

export interface KnownText {
  /** The members of the request beside `model`. */
  readonly request: Members
  readonly text: string
}

/** Returns a request and its text: of a model that echoes, the given one. Ends the case if none is known. */
export async function knownText(t: CaseContext, echoed: string): Promise<KnownText> {
  if (await t.target.echoes()) return { request: { messages: messagesOf(echoed) }, text: echoed }
  const { request, exchange } = await t.target.requireDeterministic()
  requireNoMarkup(t, exchange)
  const message = at(choicesOf(json(exchange))[0], 'message')
  if (REASONING.some((field) => at(message, field) != null))
    t.notApplicable('the model thinks before it answers: what stops its text may stop its thoughts')
  const text = contentOf(exchange)
  if (text === undefined || text === '') return t.notApplicable('the model always answers with no text')
  return { request, text }
}

/** Examples of a property on a model that does not echo: each costs whole answers. */
const FEW_RUNS = 3

/** The number of examples of a property whose requests are answered. */
export async function examplesFor(t: CaseContext): Promise<number> {
  return (await t.target.echoes()) ? t.runs : Math.min(t.runs, FEW_RUNS)
}

export function partOf(text: string): fc.Arbitrary<string> {
  const characters = Array.from(text)
  return fc
    .record({ start: fc.nat(characters.length - 1), length: fc.integer({ min: 1, max: 8 }) })
    .map(({ start, length }) => characters.slice(start, start + length).join(''))
}

const REASONING = ['reasoning', 'reasoning_content']
