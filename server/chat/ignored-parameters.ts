// The ignored members of a request, reported in the answer and in the log (LENIENT=on).
import { ignoredMembers } from '../../spec/schemas/unknown-members.ts'
import type { ChatCompletionRequest } from '../../spec/schemas/request.ts'
import type { Exchange } from '../http/call.ts'

/** The maximum number of names in one answer, because headers have bounds. */
const MAX_NAMES = 20

/** Names the members of `body` that `request` lacks in the header `x-ignored-parameters`, separated by `, `. */
export function reportIgnored(exchange: Exchange, body: unknown, request: ChatCompletionRequest): void {
  const ignored = ignoredMembers(body, request)
  if (ignored.length === 0) return
  const named = ignored.slice(0, MAX_NAMES)
  exchange.facts.ignored = named
  const more = ignored.length > named.length ? [`and-${ignored.length - named.length}-more`] : []
  exchange.ignoredHeader = ['x-ignored-parameters', [...named.map(headerText), ...more].join(', ')]
}

/** Percent-encodes the comma and the characters that a header cannot contain. */
function headerText(name: string): string {
  return name
    .toWellFormed()
    .replaceAll(/[^!-+\--~]/gu, (character) => (character === ',' ? '%2C' : encodeURIComponent(character)))
}
