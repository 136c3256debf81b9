// A load is offered in whole by its segments together, in both models.
import { expect, it } from 'vitest'
import { fc, forAllAsync } from '../../spec/property.fixture.ts'
import { offerLoad } from './offer-load.ts'
import { type LoadModel, arrivalTimes } from './stream-plan.ts'

const never = new AbortController().signal

/** The indexes that each segment sends. `send` answers for one request. */
async function offered(load: LoadModel, segments = 1, send = (_index: number) => true) {
  const plan = { load, seconds: 0.02, seed: 1 }
  const sent: number[] = []
  const counts = await Promise.all(
    Array.from({ length: segments }, (_, index) =>
      offerLoad({ plan, segment: index + 1, segments, prepareMs: 100, signal: never }, async (request) => {
        sent.push(request)
        return send(request)
      }),
    ),
  )
  return { plan, sent: sent.toSorted((a, b) => a - b), counts }
}

it('sends each request of the open model once, whatever fails', async () => {
  const rates = fc.double({ min: 1, max: 3000, noNaN: true })
  await forAllAsync(rates, fc.integer({ min: 1, max: 5 }), async (ratePerSecond, segments) => {
    const load = { model: 'open', arrivals: 'poisson', ratePerSecond } as const
    const { plan, sent, counts } = await offered(load, segments, (index) => index % 2 === 0)
    expect(sent).toEqual([...arrivalTimes(plan).keys()])
    for (const { begun, planned } of counts) expect(begun).toBe(planned)
  })
})

it('sends the requests of each caller of the closed model', async () => {
  const load = { model: 'closed', concurrency: 3, requestsEach: 4 } as const
  for (const segments of [1, 2, 3])
    expect((await offered(load, segments)).sent).toEqual([...Array(12).keys()])
})

it('repeats a failed request of a caller, and gives up after five failures in a row', async () => {
  const load = { model: 'closed', concurrency: 1, requestsEach: 2 } as const
  expect((await offered(load, 1, (index) => index > 0)).sent).toEqual([0, 1, 2])
  expect((await offered(load, 1, () => false)).sent).toEqual([0, 1, 2, 3, 4])
})
