// The content coding of answers: one that the request allows, which decodes to the whole answer (WIRE-31).
import { type Exchange, header, headerValues, isCut } from '../../../../../harness/http/exchange.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import { type Case, check } from '../../case.ts'
import { isUnreadable } from '../requests/asked.ts'
import { isSuccess, messagesOf, succeeded } from '../requests/chat-calls.ts'
import { bothWays, requireOrdinary } from '../streaming/streamed-answers.ts'

/** Enough text that a service with a least size compresses the answer of a model that echoes. */
const TEXT = `Say hello. ${'The river runs over grey stones. '.repeat(60)}`

/** The codings of an answer, in lower case, without `identity`. */
function codingsOf(exchange: Exchange): readonly string[] {
  const codings = (header(exchange, 'content-encoding') ?? '').split(',')
  return codings
    .map((coding) => coding.trim().toLowerCase())
    .filter((one) => one !== '' && one !== 'identity')
}

const nameOf = (coding: string): string => coding.trim().toLowerCase().replace(/^x-/, '')

/** Whether `Accept-Encoding` allows a coding; undefined stands for a request without that header (RFC 9110, 12.5.3). */
export function allowsCoding(accepted: string | undefined, coding: string): boolean {
  if (accepted === undefined) return true
  const weights = new Map(
    accepted.split(',').map((item) => {
      const [name = '', ...parameters] = item.split(';')
      const weight = parameters.map((one) => /^\s*q\s*=\s*([\d.]+)/i.exec(one)?.[1]).find(Boolean)
      return [nameOf(name), Number(weight ?? 1)]
    }),
  )
  return (weights.get(nameOf(coding)) ?? weights.get('*') ?? 0) > 0
}

const codingAllowed: Verifier = (exchange) => {
  const lines = headerValues(exchange.request.headers, 'accept-encoding')
  const accepted = lines.length === 0 ? undefined : lines.join(', ')
  const odd = codingsOf(exchange).find((coding) => !allowsCoding(accepted, coding))
  if (odd === undefined) return undefined
  return { expected: `a body that Accept-Encoding: ${accepted} allows`, actual: `Content-Encoding: ${odd}` }
}

/** A body with a coding is what its request asks for when it is decoded. */
const decodes: Verifier = (exchange) => {
  const codings = codingsOf(exchange)
  if (codings.length === 0 || (exchange.response.end !== 'broken' && !isUnreadable(exchange)))
    return undefined
  const actual = `${exchange.response.body.length} bytes when it is decoded`
  return { expected: `a whole answer in ${codings.join(', ')}`, actual }
}

/** The values of `Accept-Encoding`; '' stands for no header. */
const accepts = {
  gzip: ['gzip alone', 'gzip'],
  br: ['br alone', 'br'],
  weighted: ['no coding, by weights of 0', 'gzip;q=0, br;q=0, *;q=0, identity'],
} as const

export const codingCases: readonly Case[] = Object.entries(accepts).flatMap(([slug, [title, accepted]]) =>
  bothWays.map((way) =>
    check(`wire.coding-${slug}${way.slug}`, 'WIRE-31', `a client that accepts ${title}${way.title}`).run(
      async (t) => {
        const headers = { 'accept-encoding': accepted }
        const exchange = await t.chat({ messages: messagesOf(TEXT), ...way.members }, { headers })
        if (!isSuccess(exchange)) await requireOrdinary(t, way.streamed)
        if (isCut(exchange) && codingsOf(exchange).length === 0) t.inconclusive('the answer was cut')
        t.expect(exchange, succeeded, codingAllowed, decodes)
      },
    ),
  ),
)

export const codingObservers: readonly Observer[] = [
  observe('wire.every-coding', 'WIRE-31', 'a content coding that the request allows, on every answer')
    .with({ ofHead: true })
    .on(() => true)
    .verify(codingAllowed),
]
