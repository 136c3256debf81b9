// Timing of a stream: deltas arrive as they are produced, and work ends when its client disconnects (STREAM-11,
// STREAM-12). Both rows need a slow model; one that answers at once shows nothing.
import { type Case, type CaseContext, type Variants, check, checkEach } from '../../case.ts'
import { type Members, smallestMembers } from '../../../../contract/capabilities.ts'
import { FETCH_ROOT } from '../../../../contract/target.ts'
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { LONG_PROMPT, messagesOf, plainAnswer } from '../requests/chat-calls.ts'
import { CHAT_PATH } from '../requests/endpoints.ts'
import { streamedAnswer } from './streamed-answers.ts'

/** A model that gives a long answer in less time answers at once, in milliseconds. */
const SLOW_MS = 500

/** Pieces that come closer together than this are one to a reader, in milliseconds. */
const BURST_MS = 50

/** Streams that are begun and left at a time, to fill what a target does at a time: the second number is tried if the first does not fill it. */
const ABANDONED = [8, 32]

/** The tokens of an answer that shares the target with them. A target that computes streams together slows it down. */
const PROBE_TOKENS = 32

/** Read streams hold such an answer up if it takes longer by this factor, and by these milliseconds. */
const HELD_UP_RATIO = 1.5
const HELD_UP_MS = 200

/** The time before a client disconnects, in milliseconds. */
const IN_FLIGHT_MS = 150

/** The tokens of an answer of a fast model that takes its time, and of a stream that holds an answer up. */
const LONG_TOKENS = 400
const LEAST_STREAM_TOKENS = 2 * PROBE_TOKENS

/** Asks for a long answer, of at least `leastTokens` tokens. */
async function long(t: CaseContext, leastTokens = 0) {
  // The pace is known when the model has answered.
  await t.target.brief()
  const { pace, wholeTokens } = t.target.plan()
  const tokens = pace === undefined ? LONG_TOKENS : Math.max(leastTokens, wholeTokens)
  return { messages: messagesOf(LONG_PROMPT), ...(await t.target.brief(tokens)) }
}

/** The part of a body that may come at any time, for example the roles of a stream whose deltas are held back. */
export const EARLY_SHARE = 0.25

/** The time between the end of that part of a body and its last byte, in milliseconds. */
export function spreadOf({ response: { body, chunks } }: Exchange): number {
  let size = 0
  const first = chunks.find((chunk) => (size += chunk.size) >= EARLY_SHARE * body.length)
  return (chunks.at(-1)?.atMs ?? 0) - (first?.atMs ?? 0)
}

/** Deltas that come within a smaller share of the time that the answer takes come at its end. */
const LEAST_SHARE = 1 / 8

const shortAnswerMs = async (t: CaseContext): Promise<number> => (await plainAnswer(t)).timings.totalMs

/**
 * The time that a long answer takes beyond a short one, in milliseconds; the case does not apply if there is none. It
 * is measured again before a row fails, because one answer may be late for any reason.
 */
async function makingMs(t: CaseContext, plain = () => longAnswer(t)): Promise<number> {
  const short = await shortAnswerMs(t)
  const { totalMs } = (await plain()).timings
  if (totalMs - short < SLOW_MS) t.notApplicable('the model answers at once')
  return totalMs - short
}

const longAnswer = async (t: CaseContext): Promise<Exchange> => plainAnswer(t, await long(t))

/** One stream fills a target that answers one request at a time. */
const atATime = (t: CaseContext): readonly number[] =>
  t.target.plan().pace?.isSerial === true ? [1] : ABANDONED

/** Starts streams, waits until they are in flight, and then reads them to their end or disconnects. */
async function streams<Result>(
  t: CaseContext,
  count: number,
  leave: boolean,
  meanwhile: () => Promise<Result>,
): Promise<Result> {
  const gone = new AbortController()
  const request = await long(t, LEAST_STREAM_TOKENS)
  const answers = Array.from({ length: count }, async () => {
    const authorization = t.target.key === '' ? {} : { authorization: `Bearer ${t.target.key}` }
    const response = await t.fetch(`${FETCH_ROOT}${CHAT_PATH}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization },
      body: JSON.stringify({ model: t.target.model, ...request, stream: true }),
      signal: gone.signal,
    })
    await response.text()
  })
  const ended = Promise.allSettled(answers)
  await t.sleep(IN_FLIGHT_MS)
  if (leave) {
    gone.abort()
    await ended
  }
  const result = await meanwhile()
  await ended
  return result
}

/** The clients for which deltas must not be held back, with their headers. */
const readers: Variants<[headers: Readonly<Record<string, string>>]> = {
  'as-produced': ['', {}],
  'as-produced-with-gzip': [', for a client that accepts gzip', { 'accept-encoding': 'gzip' }],
}

/** The fields for which a service parses an answer, which must not hold its deltas back. */
const PARSED = ['tools', 'response_format', 'logprobs'] as const

const TITLE = 'the deltas of a long answer arrive one after the other'

const asProduced: readonly Case[] = [
  ...checkEach('stream.*', 'STREAM-11', `${TITLE}*`, readers).run((t, headers) =>
    expectSpread(t, {}, headers),
  ),
  ...PARSED.map((field) =>
    check(
      `stream.as-produced-with-${field.replaceAll('_', '-')}`,
      'STREAM-11',
      `${TITLE}, with \`${field}\``,
    ).run(async (t) => {
      await t.target.requireField(field)
      const content = field === 'response_format' ? `${LONG_PROMPT} Write a JSON object.` : LONG_PROMPT
      await expectSpread(t, { ...smallestMembers(field), messages: messagesOf(content) })
    }),
  ),
]

async function expectSpread(
  t: CaseContext,
  members: Members,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  await expectStreamSpread(
    t,
    () => longAnswer(t),
    async () => (await streamedAnswer(t, { ...(await long(t)), ...members }, { headers })).exchange,
  )
}

/** The number of streams that come at once in turn before the row fails: on a busy machine any answer may be late. */
const MOST_BURSTS = 3

/** A streamed answer is spread over a part of the time that it takes. `plain` is about as long an answer. */
export async function expectStreamSpread(
  t: CaseContext,
  plain: () => Promise<Exchange>,
  streamed: () => Promise<Exchange>,
  spreadIn = spreadOf,
): Promise<void> {
  await makingMs(t, plain)
  let shortMs = 0
  for (let bursts = 1; ; bursts += 1) {
    const exchange = await streamed()
    const spread = spreadIn(exchange)
    // The latest of the short answers shows how late an answer may be that takes no time.
    shortMs = Math.max(shortMs, await shortAnswerMs(t))
    const making = exchange.timings.totalMs - shortMs
    const due = Math.max(BURST_MS, making * LEAST_SHARE)
    if (spread < due) {
      if (making < SLOW_MS) t.notApplicable('the model answered at once')
      await makingMs(t, plain)
      if (bursts < MOST_BURSTS) continue
    }
    return t.assert(
      spread >= due,
      {
        expected: `deltas over more than ${Math.round(due)} ms of an answer that takes ${Math.round(making)} ms`,
        actual: `three quarters of it within ${Math.round(spread)} ms`,
      },
      exchange,
    )
  }
}

export const timeCases: readonly Case[] = [
  ...asProduced,
  check('stream.abandoned', 'STREAM-12', 'an answer after abandoned streams takes as long as alone')
    .with({ exclusive: true })
    .run(async (t: CaseContext) => {
      await makingMs(t)
      const request = { ...(await long(t)), ...(await t.target.brief(PROBE_TOKENS)) }
      const probe = (): Promise<Exchange> => plainAnswer(t, request)
      const took = ({ timings }: Exchange): number => timings.totalMs

      for (const count of atATime(t)) {
        const alone = took(await probe())
        // If streams that are read do not delay an answer, abandoned streams show nothing.
        const behindRead = took(await streams(t, count, false, probe))
        if (behindRead < Math.max(HELD_UP_RATIO * alone, alone + HELD_UP_MS)) continue
        const late = (alone + behindRead) / 2
        let exchange = await streams(t, count, true, probe)
        // One answer may be late for any reason.
        if (took(exchange) >= late) exchange = await streams(t, count, true, probe)
        if (took(exchange) >= late) await makingMs(t)
        return t.assert(
          took(exchange) < late,
          {
            expected: `an answer within ${Math.round(late)} ms (alone ${Math.round(alone)} ms)`,
            actual: `after ${Math.round(took(exchange))} ms, as behind ${count} streams that are read (${Math.round(behindRead)} ms)`,
          },
          exchange,
        )
      }
      t.inconclusive(`${atATime(t).at(-1)} streams at a time do not hold another request up`)
    }),
]
