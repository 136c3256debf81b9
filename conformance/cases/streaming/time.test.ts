// The time of streams reveals deltas that are held back (STREAM-11) and work for clients that have disconnected
// (STREAM-12). A server that answers at once, or everything at the same time, is not judged.
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { at } from '../../../harness/verify/json-value.ts'
import { LONG_PROMPT } from '../requests/chat.ts'
import { type Call, type Delivery, isStream } from '../scripted/scripted-chat.fixture.ts'
import { judgeChat } from '../scripted/judge-scripted-chat.fixture.ts'
import { timeCases } from './time.ts'

/** How long the model takes for the long answer, in milliseconds; any other is there at once. */
const LONG_MS = 800

/** Maximum number of answers that a service with a limit generates at the same time. */
const PLACES = 2

function isLong({ body }: Call): boolean {
  return at(body, 'messages', 0, 'content') === LONG_PROMPT
}

/** An answer that is whole when its time is over. */
const atItsEnd: Delivery = async (outgoing, { status, headers, body }, call) => {
  if (isLong(call)) await sleep(LONG_MS)
  outgoing.writeHead(status, headers).end(body)
}

/** A stream of which a tenth comes at a time; a plain answer when its time is over. */
const asProduced: Delivery = async (outgoing, answer, call) => {
  if (!isLong(call) || !isStream(answer)) return atItsEnd(outgoing, answer, call)
  const size = Math.ceil(answer.body.length / 10)
  outgoing.writeHead(answer.status, answer.headers)
  for (let from = 0; from < answer.body.length; from += size) {
    await sleep(LONG_MS / 10)
    outgoing.write(answer.body.slice(from, from + size))
  }
  outgoing.end()
}

/** A few answers at a time, the others wait their turn; `left` resolves when the generation for a client has ended. */
function inPlaces(left: (outgoing: ServerResponse, made: Promise<void>) => Promise<unknown>): Delivery {
  const waiting: (() => void)[] = []
  let free = PLACES
  return async (outgoing, answer, call) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    await left(outgoing, Promise.resolve(asProduced(outgoing, answer, call)))
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }
}

function gone(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (outgoing.destroyed) resolve()
    outgoing.once('close', resolve)
  })
}

const workingOn: Delivery = inPlaces((_, made) => made)
const stopping: Delivery = inPlaces((outgoing, made) => Promise.race([made, gone(outgoing)]))

/** How the one case of this id ends. */
async function outcomeOf(id: string, deliver?: Delivery): Promise<string | undefined> {
  const cases = timeCases.filter((definition) => definition.id === id)
  const verdicts = await judgeChat(undefined, cases, deliver === undefined ? {} : { deliver })
  return verdicts[0]?.outcome
}

// Side by side: each has a service of its own, and nearly all of its time is waiting.
describe('deltas as they are produced (STREAM-11)', () => {
  it.concurrent.each([
    ['one after the other', asProduced, 'pass'],
    ['all of them at the end', atItsEnd, 'fail'],
    ['of a model that answers at once', undefined, 'not-applicable'],
  ] as const)('%s', async (_, deliver, outcome) => {
    expect(await outcomeOf('stream.as-produced', deliver)).toBe(outcome)
  })
})

describe('work for a client that has disconnected (STREAM-12)', { tags: 'slow' }, () => {
  it.concurrent.each([
    ['it ends', stopping, 'pass'],
    ['it goes on', workingOn, 'fail'],
    ['it delays no other answer', asProduced, 'inconclusive'],
    ['there is none', undefined, 'not-applicable'],
  ] as const)('%s', async (_, deliver, outcome) => {
    expect(await outcomeOf('stream.abandoned', deliver)).toBe(outcome)
  })
})
