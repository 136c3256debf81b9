// Headers of the wire format: an id on every answer, a new one each time (WIRE-21).
import { type Case, type Observer, check, observe } from '../../runner/case.ts'
import { header } from '../../../harness/http/exchange.ts'
import type { Verifier } from '../../../harness/verify/verify.ts'
import { show } from '../../../harness/verify/json-value.ts'
import { modelList } from '../requests/endpoints.ts'

/** Enough to see that an id comes back. */
const ASKED = 3

const hasRequestId: Verifier = (exchange) => {
  const id = header(exchange, 'x-request-id') ?? ''
  return id === '' ? { expected: 'an x-request-id header', actual: show(id) } : undefined
}

function newRequestId(): Verifier {
  const seen = new Set<string>()
  return (exchange) => {
    const id = header(exchange, 'x-request-id') ?? ''
    if (seen.has(id)) return { expected: 'an x-request-id of its own', actual: show(id) }
    seen.add(id)
    return undefined
  }
}

export const headerCases: readonly Case[] = [
  check('wire.request-id-differs', 'WIRE-21', 'x-request-id, different each time').run(async (t) => {
    const isNew = newRequestId()
    for (let asked = 0; asked < ASKED; asked++)
      t.expect(await t.send(modelList.request(t)), hasRequestId, isNew)
  }),
]

export const headerObservers: readonly Observer[] = [
  observe('wire.request-id-on-every-answer', 'WIRE-21', 'x-request-id on every answer')
    .on(() => true)
    .verify(hasRequestId),
  observe('wire.every-request-id', 'WIRE-21', 'x-request-id, another one on each answer of the run')
    .on((exchange) => (header(exchange, 'x-request-id') ?? '') !== '')
    .compare(newRequestId),
]
