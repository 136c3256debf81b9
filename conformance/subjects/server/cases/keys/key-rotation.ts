// KEY-7: rotation under continuous traffic. A new key is made, traffic moves to it, and the old key is revoked. No
// request is lost, and afterwards only the old key is refused.
import { type Case, type CaseContext, check } from '../../case.ts'
import { type Exchange, text } from '../../../../../harness/http/exchange.ts'
import { asksToComeBack } from '../../run/refusals.ts'
import { type Verifier, showBody, status } from '../../../../../harness/verify/verify.ts'
import { type Endpoint, chat, streamedChat } from '../requests/endpoints.ts'

/** Lanes of continuous traffic; each lane sends one request after another to its endpoints in turn. */
const TRAFFIC: readonly (readonly Endpoint[])[] = [[chat], [streamedChat], [chat], [streamedChat]]
const QUICK_TRAFFIC: typeof TRAFFIC = [[chat, streamedChat]]

/** The least number of requests of each lane between two steps of the rotation. */
const ROUNDS = 2

/** Attempts to get an answer before the rotation, and the pause between them in milliseconds. */
const ATTEMPTS = 5
const ATTEMPT_PAUSE_MS = 300

/** The pause between two requests in milliseconds, so that a slow key command does not cause a load test. */
const PAUSE_MS = 10
const QUICK_PAUSE_MS = 40

/** The longest time for which steady traffic is watched, in milliseconds; two rotations may take less. */
const MOST_STEADY_MS = 5_000

function answered(step: string): Verifier {
  return (exchange) => {
    const { status: code, end } = exchange.response
    const isWhole = isStream(exchange) ? (text(exchange) ?? '').includes('data: [DONE]') : end === 'complete'
    if (code === 200 && isWhole) return undefined
    const what = code === 200 ? 'an answer that was cut' : `status ${code}, ${showBody(exchange)}`
    return { expected: `a whole answer ${step}: no request is lost`, actual: what }
  }
}

const isStream = ({ request }: Exchange): boolean => Buffer.from(request.body ?? []).includes('"stream":true')

/**
 * Waits for an answer before the rotation: a failure without a rotation shows nothing about one. A service that is
 * interrupted by a new key gets time to recover, so that the rotation itself is judged.
 */
async function untilAnswered(t: CaseContext, key: string): Promise<void> {
  for (const endpoint of t.quick ? [chat] : [chat, streamedChat]) {
    for (let attempt = 1; ; attempt++) {
      const exchange = await t.send({ ...endpoint.request(t), authorization: `Bearer ${key}` })
      const missing = answered('before the rotation')(exchange, t.target)
      if (missing === undefined) break
      if (attempt === ATTEMPTS) t.inconclusive(`${endpoint.title}, before any rotation: ${missing.actual}`)
      await t.sleep(ATTEMPT_PAUSE_MS)
    }
  }
}

/** Starts continuous traffic: each lane sends with the current key until it is stopped. */
function startTraffic(t: CaseContext, first: string) {
  let key = first
  let step = 'before the rotation'
  let isOver = false
  let isActing = false
  const lanes = (t.quick ? QUICK_TRAFFIC : TRAFFIC).map((inTurn) => ({ inTurn, sent: 0, sentInStep: 0 }))
  const pauseMs = t.quick ? QUICK_PAUSE_MS : PAUSE_MS
  const rounds = t.quick ? 0 : ROUNDS
  let overload: Exchange | undefined

  async function run(lane: (typeof lanes)[number]): Promise<void> {
    while (!isOver) {
      const during = step
      const endpoint = lane.inTurn[lane.sent % lane.inTurn.length] ?? chat
      const request = { ...endpoint.request(t), authorization: `Bearer ${key}` }
      const first = await t.send({ ...request, obey: false })
      if (first.response.status === 503) overload = first
      // A request to retry is obeyed; if the rotation caused it, it comes again.
      t.expect(asksToComeBack(first) ? await t.send(request) : first, answered(during))
      lane.sent += 1
      lane.sentInStep = during === step ? lane.sentInStep + 1 : 0
      // A long step costs a quick run few requests more than a short one, and ends without delay.
      const pauses = t.quick ? Math.min(16, 2 ** lane.sentInStep) : 1
      for (let pause = 0; pause === 0 || (pause < pauses && isActing); pause++) await t.sleep(pauseMs)
    }
  }
  const running = Promise.all(lanes.map(run))
  // `during` and `stop` report a rejection; until then it must not count as unhandled.
  running.catch(() => {})

  /** Waits until every lane has sent whole requests in this step. */
  async function someRounds(): Promise<void> {
    // The request in flight may belong to the previous step.
    const targets = lanes.map(({ sent }) => sent + rounds + 1)
    while (lanes.some(({ sent }, index) => sent < (targets[index] ?? 0)))
      await Promise.race([running, t.sleep(pauseMs)])
  }

  return {
    /** Runs one step of the rotation while the traffic goes on. */
    async during<Result>(name: string, action: () => Promise<Result>): Promise<Result> {
      step = name
      isActing = true
      const result = await Promise.race([action(), failureOf(running)])
      isActing = false
      await someRounds()
      return result
    },
    /** The last 503 since the previous call, if any. */
    takeOverload(): Exchange | undefined {
      const taken = overload
      overload = undefined
      return taken
    },
    useKey(next: string) {
      key = next
    },
    async stop(): Promise<void> {
      isOver = true
      await running
    },
  }
}

/** Rejects with what ended the traffic; never resolves. */
function failureOf(running: Promise<unknown>): Promise<never> {
  return running.then(() => new Promise<never>(() => {}))
}

/** Returns whether steady traffic with an unchanged key gets a 503 too, within this time. */
async function isOverloadedWithout(t: CaseContext, ms: number): Promise<boolean> {
  const key = await t.target.createKey()
  await untilAnswered(t, key.secret)
  const traffic = startTraffic(t, key.secret)
  try {
    await traffic.during('without a rotation', () => t.sleep(ms))
    return traffic.takeOverload() !== undefined
  } finally {
    await traffic.stop()
  }
}

/** Runs one rotation. Returns a 503 that came with it and not before, if any. */
async function rotate(t: CaseContext): Promise<Exchange | undefined> {
  const old = await t.target.createKey()
  await untilAnswered(t, old.secret)
  const traffic = startTraffic(t, old.secret)
  try {
    await traffic.during('before the rotation', async () => {})
    const isOverloaded = traffic.takeOverload() !== undefined
    const fresh = await traffic.during('with the old key, while a new one is made', () =>
      t.target.createKey(),
    )
    traffic.useKey(fresh.secret)
    await traffic.during('after the switch, the old key still active', async () => {
      const beside = await t.send({ ...chat.request(t), authorization: `Bearer ${old.secret}` })
      t.expect(beside, answered('with the old key beside the new one'))
    })
    await traffic.during('with the new key, while the old one is revoked', () => t.target.revokeKey(old.id))
    // Later requests show what the first refusal of the old key causes.
    await traffic.during('with the new key, after the old one was refused', async () => {
      for (const endpoint of t.quick ? [chat] : [chat, streamedChat]) {
        const late = await t.send({ ...endpoint.request(t), authorization: `Bearer ${old.secret}` })
        t.expect(late, status(401))
      }
    })
    return isOverloaded ? undefined : traffic.takeOverload()
  } finally {
    await traffic.stop()
  }
}

export const cases: readonly Case[] = [
  check(
    'keys.rotation-loses-nothing',
    'KEY-7',
    'a rotation under continuous traffic, plain and streamed',
  ).run(async (t) => {
    // A 503 during one rotation may be chance; a 503 during the next one too is not.
    const begunAtMs = t.now()
    const overload = (await rotate(t)) && (await rotate(t))
    if (overload === undefined) return
    // A service that is often overloaded is overloaded during rotations too.
    const tookMs = Math.min(MOST_STEADY_MS, t.now() - begunAtMs)
    if (await isOverloadedWithout(t, tookMs)) t.inconclusive('a 503 comes without a rotation too')
    t.expect(overload, answered('during each of two rotations, and not without one'))
  }),
]
