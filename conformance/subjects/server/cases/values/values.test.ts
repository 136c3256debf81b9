// Hard values and stated defaults: which faults the cases find, and what they leave alone.
import { expect, it } from 'vitest'
import { messagesOf } from '../../../../../fixtures/faulty/calls.ts'
import { invalidRequest, refuseChats } from '../../../../../fixtures/faulty/error-edits.ts'
import { chain, editRequest } from '../../../../../fixtures/faulty/edits.ts'
import { asList, asObject, type JsonObject } from '../../../../../fixtures/faulty/json-types.ts'
import { judgeFault, notPassed, outcomeOf } from '../scripted/judge-fault.fixture.ts'
import type { Start } from '../scripted/start-service.fixture.ts'
import { cases } from './values.ts'

it('passes on a service without a fault, or does not apply', async () => {
  const verdicts = await judgeFault('odd-proxy', cases)
  expect(notPassed(verdicts).filter((line) => !line.includes('not-applicable'))).toEqual([])
})

/** The picture of a request; undefined if it has none. */
function pictureOf(body: JsonObject | undefined): JsonObject | undefined {
  const parts = messagesOf(body).flatMap(({ content }) => asList(content).map(asObject))
  const part = parts.find(({ type }) => type === 'image_url')
  return part && asObject(part['image_url'])
}

const REFUSAL = invalidRequest('invalid_value', 'This image cannot be read.', 'messages[0].content[1]')

/** A service that looks at pictures, but for those of the `detail` that it refuses. */
const seeing =
  (isRefused: (detail: unknown) => boolean): Start =>
  () => {
    const see = editRequest((body) =>
      pictureOf(body) === undefined
        ? undefined
        : { ...body, messages: [{ role: 'user', content: 'A stone.' }] },
    )
    const refuse = refuseChats((body) => {
      const picture = pictureOf(body)
      return picture !== undefined && isRefused(picture['detail'])
    }, REFUSAL)
    return chain(refuse, see)
  }

it.each([
  ['fails if an image is refused without a detail', (detail: unknown) => detail === undefined, 'fail'],
  ['fails if an image is refused with the default detail', (detail: unknown) => detail === 'auto', 'fail'],
  ['fails if one other detail is refused', (detail: unknown) => detail === 'high', 'fail'],
  ['passes if only the default is taken', (detail: unknown) => detail === 'high' || detail === 'low', 'pass'],
  ['does not apply if every image is refused', () => true, 'not-applicable'],
] as const)('%s', async (_, isRefused, outcome) => {
  const own = cases.filter(({ id }) => id === 'wire.image-details')
  expect(outcomeOf(await judgeFault(seeing(isRefused), own), 'wire.image-details')).toBe(outcome)
})
