// A prompt that is longer than the context is refused so that a program recognises it (ERR-10): by its code, and with the
// length of the context, plain and streamed.
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { at, show } from '../../../../../harness/json-value.ts'
import { type Verifier, status } from '../../../../../harness/verify/verify.ts'
import type { Case, CaseContext } from '../../case.ts'
import { isSuccess } from '../requests/chat-calls.ts'
import { type Way, eitherWay } from '../streaming/streamed-answers.ts'
import { plainError } from '../streaming/stream-errors.ts'
import { type LongPrompts, isOverflow, longPrompts, promptOf, promptTokensOf } from './long-prompts.ts'

const CODE = 'context_length_exceeded'

/** A second prompt is longer by this share: the number that both messages have is not the length of the prompt. */
const LONGER = 1.1

/** A number near a stated length: a service may leave room for an answer. */
const NEAR = { least: 0.5, most: 1.1 }

const hasCode: Verifier = (exchange) => {
  const code = at(json(exchange), 'error', 'code')
  return code === CODE ? undefined : { expected: `error.code ${show(CODE)}`, actual: show(code) }
}

/** The numbers of a text, also as `8,192` and `128k`. */
function numbersIn(text: string): readonly number[] {
  const whole = [...text.matchAll(/\d{1,3}(?:[,_.' ]\d{3})+(?!\d)|\d+/g)].map(([number]) =>
    Number(number.replaceAll(/\D/g, '')),
  )
  const thousands = [...text.matchAll(/(\d+)\s?k\b/gi)].flatMap(([, number]) => [
    Number(number) * 1000,
    Number(number) * 1024,
  ])
  return [...whole, ...thousands]
}

const messageOf = (exchange: Exchange): string => String(at(json(exchange), 'error', 'message') ?? '')

/** The message names a length that a longer prompt does not change, and that the prompts before were not beyond. */
function namesLength(longer: Exchange, { sent, refused, ...prompts }: LongPrompts): Verifier {
  const taken = sent.flatMap(({ exchange }) => (isSuccess(exchange) ? (promptTokensOf(exchange) ?? []) : []))
  // MODEL-9 judges a refusal within the stated length: the context is another one then.
  const stated = prompts.stated.filter((length) => length < (refused?.tokens.least ?? 0))
  const [least, most] =
    stated.length === 0
      ? [Math.max(1, ...taken), Infinity]
      : [Math.min(...stated) * NEAR.least, Math.max(...stated) * NEAR.most]
  return (exchange) => {
    const others = new Set(numbersIn(messageOf(longer)))
    const isNamed = numbersIn(messageOf(exchange)).some((number) => {
      return others.has(number) && number >= least && number <= most
    })
    if (isNamed) return undefined
    const length = stated.length === 0 ? '' : ` (${[...new Set(stated)].join(' or ')})`
    return {
      expected: `the length of the context${length} in error.message`,
      actual: show(messageOf(exchange)),
    }
  }
}

async function recognised(t: CaseContext, { members, streamed }: Way): Promise<void> {
  const prompts = await longPrompts(t)
  const { refused, bound } = prompts
  if (refused === undefined) return t.notApplicable(bound)
  if (!isOverflow(refused.exchange))
    t.notApplicable(`a long prompt is refused with ${refused.exchange.response.status}, not for its context`)
  const ask = (lines: number) => t.chat({ messages: promptOf(lines), ...members })
  const longer = await ask(Math.ceil(refused.lines * LONGER))
  const exchange = await ask(refused.lines)
  t.expect(exchange, status(400), ...(streamed ? [plainError] : []), hasCode, namesLength(longer, prompts))
}

export const overflowErrorCases: readonly Case[] = eitherWay(
  'errors.context-overflow',
  'ERR-10',
  'a prompt that is longer than the context',
).run(recognised)
