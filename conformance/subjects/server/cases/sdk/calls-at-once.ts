// Many requests for calls in flight at once, each for another function with another argument, so that a fragment that goes to
// another request is seen (SDK-2). Services that make one answer at a time let them wait.
import { isDeepStrictEqual } from 'node:util'
import type { Members } from '../../../../contract/capabilities.ts'
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { at, show } from '../../../../../harness/json-value.ts'
import { type Case, type CaseContext, check } from '../../case.ts'
import { isRefusedByName, usageOf } from '../requests/asked.ts'
import { isSuccess, messagesOf } from '../requests/chat-calls.ts'
import { firstChoice, isCutOrRefused } from '../streaming/streamed-answers.ts'
import {
  argumentsOf,
  askWithTools,
  callsOf,
  forcedCalls,
  named,
  strictObject,
  tool,
} from '../tools/tool-requests.ts'

/** Requests in flight at once; fewer for a model that answers one after the other, and in a quick run. */
const MANY_REQUESTS = 20
const SERIAL_REQUESTS = 6
const QUICK_REQUESTS = 5

/** All of them may take this time if they are answered one after the other, in milliseconds, but there are at least two. */
const ALL_MS = 10_000
const LEAST_REQUESTS = 2

/** Rounds in which an answer must be another one than alone, unless it has words of another request. */
const ROUNDS = 3

/** The tokens of an answer beyond those of the answer that came alone: a model may add a word. */
const MORE_TOKENS = 16

/** A request for one call, whose function and argument no other request has. */
interface OwnRequest {
  readonly members: Members
  readonly name: string
  readonly words: string
}

const FIRST = 11

/** A request whose argument is one of a list, or any text for a service that refuses the list by name. */
function ownRequest(place: number, isListed = true): OwnRequest {
  const number = FIRST + place
  const name = `look_up_${number}`
  const words = `stone ${number}, gold ${number}, silver ${number}`
  const parameters = strictObject({ words: { type: 'string', ...(isListed && { enum: [words] }) } })
  const order = `#call ${name} ${JSON.stringify({ words })}`
  return {
    name,
    words,
    members: {
      messages: messagesOf(`Look up "${words}" with one call of ${name}.\n${order}`),
      tools: [tool(name, 'Looks words up in the dictionary.', parameters)],
      tool_choice: named(name),
    },
  }
}

/** Whether an answer is the call that was requested, and nothing else. */
function isOwn(exchange: Exchange, { name, words }: OwnRequest): boolean {
  const calls = callsOf(exchange)
  return (
    calls.length > 0 &&
    calls.every((call) => call.name === name && isDeepStrictEqual(argumentsOf(call), { words }))
  )
}

/** Whether an answer has a number of another request. */
function hasForeign(exchange: Exchange, own: OwnRequest, all: readonly OwnRequest[]): boolean {
  const text = JSON.stringify(callsOf(exchange).map((call) => [call.name, call.arguments]))
  return all.some((other) => other !== own && text.includes(other.name.slice(-2)))
}

const isCut = (exchange: Exchange): boolean => isCutOrRefused(firstChoice(exchange))

/** Sends the requests at once; the first answer that is neither its own nor cut, with its request. */
async function firstMixedUp(t: CaseContext, all: readonly OwnRequest[], more: Members) {
  const answers = await Promise.all(all.map((own) => t.chat({ ...more, ...own.members })))
  if (answers.every(isCut)) t.inconclusive('the answers were cut')
  const mixed = all.flatMap((own, place) => {
    const exchange = answers[place]
    return exchange === undefined || isOwn(exchange, own) || isCut(exchange) ? [] : [{ own, exchange }]
  })
  return mixed.find(({ own, exchange }) => hasForeign(exchange, own, all)) ?? mixed[0]
}

/** Each request has its own call alone; then all of them at once have it, too. */
async function expectOwnCalls(t: CaseContext, members: Members): Promise<void> {
  const isListed = !isRefusedByName(await askWithTools(t, { ...members, ...ownRequest(0).members }))
  const first = ownRequest(0, isListed)
  const alone = await forcedCalls(t, { ...members, ...first.members })
  if (!isOwn(alone, first))
    t.notApplicable('the model calls another function, or with other words, also alone')
  const { pace } = t.target.plan()
  const isSlow = pace?.isSerial === true || pace?.isShared === true
  const most = t.quick ? QUICK_REQUESTS : isSlow ? SERIAL_REQUESTS : MANY_REQUESTS
  const inTime = Math.floor(ALL_MS / Math.max(1, alone.timings.totalMs))
  const all = Array.from({ length: Math.max(LEAST_REQUESTS, Math.min(most, inTime)) }, (_, place) =>
    ownRequest(place, isListed),
  )
  const counted = at(usageOf(alone), 'completion_tokens')
  const { wholeTokens } = t.target.plan()
  const tokens = typeof counted === 'number' ? 2 * counted + MORE_TOKENS : wholeTokens
  const more = { ...members, ...(await t.target.brief(tokens)) }
  for (let round = 1; ; round += 1) {
    const mixed = await firstMixedUp(t, all, more)
    if (mixed === undefined) return t.assert(true, { expected: '', actual: '' })
    const { own, exchange } = mixed
    const again = await t.chat({ ...more, ...own.members })
    const isMixedUp = isSuccess(again) && isOwn(again, own)
    if (!isMixedUp) t.notApplicable('the model calls with other words, also alone')
    if (round < ROUNDS && !hasForeign(exchange, own, all)) continue
    t.assert(
      false,
      {
        expected: `a call of ${own.name} with ${show({ words: own.words })}, as alone, beside ${all.length - 1} other requests`,
        actual: isSuccess(exchange)
          ? show(callsOf(exchange).map((call) => [call.name, call.arguments]))
          : `status ${exchange.response.status}`,
      },
      exchange,
    )
  }
}

// Exclusive, because a service may mix them up with the requests of other checks, and then none is right alone.
const TITLE = 'in flight, each for a call of its own'

export const callsAtOnceCases: readonly Case[] = [
  check('sdk.many-tool-calls', 'SDK-2', `many requests ${TITLE}`)
    .with({ exclusive: true })
    .run((t) => expectOwnCalls(t, {})),
  check('sdk.many-tool-streams', 'SDK-2', `many streams ${TITLE}`)
    .with({ exclusive: true, alwaysQuick: true })
    .run((t) => expectOwnCalls(t, { stream: true })),
]
