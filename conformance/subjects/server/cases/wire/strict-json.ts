// The JSON of every answer is what strict parsers accept, judged on its text: integers are written as integers, no object
// has a member twice, and no number of the request is rounded in the answer (WIRE-37).
import { readStream } from '../../../../../harness/http/event-stream.ts'
import { type Exchange, text } from '../../../../../harness/http/exchange.ts'
import {
  type JsonPath,
  type JsonTextVisitor,
  exactNumber,
  isHeldExactly,
  isWrittenAsInteger,
  visitJson,
} from '../../../../../harness/json-text.ts'
import { memoizePer } from '../../../../../harness/memoize.ts'
import type { Mismatch, Verifier } from '../../../../../harness/verify/verify.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import { askedOf, isStreamed } from '../requests/asked.ts'
import { choicesIn } from '../streaming/streamed-answers.ts'

/** The endpoints whose answers the format describes; an error has an envelope everywhere. */
const ENDPOINT = /^\/v1\/(?:chat\/completions|models)(?:[/?#]|$)/

/** The JSON texts of an answer: its body, or the data of each of its events. */
const jsonTexts = memoizePer((exchange: Exchange): readonly string[] => {
  const { request, response } = exchange
  if (request.method === 'HEAD' || !(ENDPOINT.test(request.path) || response.status >= 400)) return []
  return isStreamed(exchange) ? readStream(exchange).events.map(({ data }) => data) : [text(exchange) ?? '']
})

/** Token counts of the format. Other numbers of a `usage` are of the vendor. */
const COUNTS =
  /^(?:prompt|completion|total|cached|audio|reasoning|accepted_prediction|rejected_prediction)_tokens$/

const TOKEN_IDS: ReadonlySet<unknown> = new Set(['token_id', 'token_ids', 'prompt_token_ids'])

/** Whether the format has an integer at a path. A list has records such as an answer by itself has them. */
function isIntegerPlace(path: JsonPath): boolean {
  const own = path[0] === 'data' && typeof path[1] === 'number' ? path.slice(2) : path
  const names = own.filter((step) => typeof step === 'string')
  const [first, last, holder] = [names[0], names.at(-1), names.at(-2)]
  if (own.length === 1) return first === 'created'
  if (first === 'usage')
    return COUNTS.test(String(last)) && (names.length === 2 || String(holder).endsWith('_details'))
  if (first !== 'choices') return TOKEN_IDS.has(first)
  if (names.length === 2 && last === 'index') return true
  if (holder === 'tool_calls' && last === 'index') return true
  if (holder === 'audio' && last === 'expires_at') return true
  if (holder === 'url_citation') return last === 'start_index' || last === 'end_index'
  return TOKEN_IDS.has(last) || (last === 'bytes' && names[1] === 'logprobs')
}

const shownPath = (path: JsonPath): string => path.join('.')

/** The faults of an answer that strict parsers refuse, each by its first place; its JSON texts are read once. */
const faultsOf = memoizePer((exchange: Exchange) => {
  let isRead = false
  let [integer, repeated]: (Mismatch | undefined)[] = []
  const expected = 'each member of an object once'
  const visitor: JsonTextVisitor = {
    number(source, path) {
      if (integer !== undefined || isWrittenAsInteger(source) || !isIntegerPlace(path)) return
      integer = { expected: `${shownPath(path)}, an integer without fraction and exponent`, actual: source }
    },
    repeated: (path) => void (repeated ??= { expected, actual: `${shownPath(path)} twice` }),
  }
  for (const json of jsonTexts(exchange)) if (visitJson(json, visitor)) isRead = true
  return { isRead, integer, repeated }
})

/** A text that is nested too deeply to be read whole can show a fault before that. */
function hasJson(exchange: Exchange): boolean {
  const { isRead, integer, repeated } = faultsOf(exchange)
  return isRead || integer !== undefined || repeated !== undefined
}

/** Every integer of the format is written without fraction and exponent. */
export const integersAsIntegers: Verifier = (exchange) => faultsOf(exchange).integer

/** No object has a member twice. */
export const membersOnce: Verifier = (exchange) => faultsOf(exchange).repeated

/** Integers in the text of a request that a number of JavaScript cannot hold. */
const LONG_INTEGER = /-?\d{16,}/g

/**
 * The numbers of a request that a double does not hold, by the double beside them, each with all numbers of the request that
 * have this double. In texts only integers count: a model may write a long fraction shorter.
 */
const sentNumbers = memoizePer(({ request }: Exchange): ReadonlyMap<number, ReadonlySet<string>> => {
  const body = new TextDecoder().decode(request.body)
  const sent = new Map<number, Set<string>>()
  const add = (source: string): void => {
    const double = Number(source)
    sent.set(double, (sent.get(double) ?? new Set()).add(exactNumber(source)))
  }
  visitJson(body, { number: add })
  for (const [source] of body.matchAll(LONG_INTEGER)) add(source)
  const isWhole = (forms: ReadonlySet<string>): boolean => [...forms].every(isHeldExactly)
  return new Map([...sent].filter(([, forms]) => !isWhole(forms)))
})

/** The JSON that an answer has as text: arguments of calls, and content where `response_format` asks for JSON. */
function writtenJson(exchange: Exchange): readonly string[] {
  const choices = choicesIn(exchange)
  const isFormatted = (askedOf(exchange)?.['response_format'] ?? null) !== null
  const contents = isFormatted ? choices.map(({ content }) => content) : []
  const calls = choices.flatMap((choice) => choice.calls.map((call) => call.arguments))
  return [...contents, ...calls].filter((json) => typeof json === 'string')
}

/** No number of the request comes back as another one that only a rounding makes of it. */
export const numbersAsSent: Verifier = (exchange) => {
  const sent = sentNumbers(exchange)
  let mismatch: Mismatch | undefined
  const number = (source: string, path: JsonPath): void => {
    const forms = sent.get(Number(source))
    if (mismatch !== undefined || forms === undefined || forms.has(exactNumber(source))) return
    const expected = `${shownPath(path)} ${[...forms].join(' or ')}, as in the request`
    mismatch = { expected, actual: `${source}, which is rounded` }
  }
  for (const json of writtenJson(exchange)) visitJson(json, { number })
  return mismatch
}

const answersLongNumbers = (exchange: Exchange): boolean =>
  exchange.response.status === 200 && sentNumbers(exchange).size > 0 && writtenJson(exchange).length > 0

export const strictJsonObservers: readonly Observer[] = [
  observe('wire.every-integer', 'WIRE-37', 'integers without fraction and exponent in every answer')
    .with({ includesCut: true })
    .on(hasJson)
    .verify(integersAsIntegers),
  observe('wire.every-member-once', 'WIRE-37', 'no member twice in any object of every answer')
    .with({ includesCut: true })
    .on(hasJson)
    .verify(membersOnce),
  observe('wire.every-number-as-sent', 'WIRE-37', 'no number of its request rounded in any answer')
    .on(answersLongNumbers)
    .verify(numbersAsSent),
]
