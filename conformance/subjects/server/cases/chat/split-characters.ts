// A body whose packets end within characters is read as a whole (CHAT-8): a service that decodes each packet alone loses these
// characters. A model that echoes returns them; another one is sent as many tokens as without the packets.
import { json } from '../../../../../harness/http/exchange.ts'
import { at, show } from '../../../../../harness/json-value.ts'
import { type Case, type CaseContext, check } from '../../case.ts'
import { isSuccess, messagesOf, plainAnswer, succeeded } from '../requests/chat-calls.ts'
import { sameText } from './chat-text.ts'

/** Characters of two, three and four bytes. */
const SPLIT_TEXT = '\u00E9\u4E2D\u{1F600}'.repeat(2)

/** A byte that goes on with a character. */
const isWithin = (byte: number): boolean => (byte & 0xc0) === 0x80

/** Sends a text of long characters, whose body is split at these places, and returns its `prompt_tokens`. */
async function counted(t: CaseContext, splitAt?: (body: readonly number[]) => readonly number[]) {
  const bound = (await t.target.echoes()) ? {} : await t.target.brief()
  const body = Buffer.from(
    JSON.stringify({ model: t.target.model, messages: messagesOf(SPLIT_TEXT), ...bound }),
  )
  const exchange = await t.send({
    path: '/v1/chat/completions',
    body,
    ...(splitAt && { splitAt: splitAt([...body]) }),
  })
  if (!isSuccess(exchange)) await plainAnswer(t)
  t.expect(exchange, succeeded)
  return { exchange, count: at(json(exchange), 'usage', 'prompt_tokens') }
}

const betweenBytes = (body: readonly number[]): readonly number[] =>
  body.flatMap((byte, at) => (isWithin(byte) ? [at] : []))

async function readsWhole(t: CaseContext): Promise<void> {
  const whole = await counted(t)
  const split = await counted(t, betweenBytes)
  if (await t.target.echoes()) {
    t.expect(split.exchange, sameText(SPLIT_TEXT))
    return
  }
  const [again, splitAgain] = [await counted(t), await counted(t, betweenBytes)]
  // A count that changes by itself shows nothing, and a model without counts has at least accepted the body.
  const isSteady = again.count === whole.count && splitAgain.count === split.count
  const expected = `${show(whole.count)} prompt_tokens, as of the same body in one packet`
  t.assert(!isSteady || split.count === whole.count, { expected, actual: show(split.count) }, split.exchange)
}

export const splitCases: readonly Case[] = [
  check('chat.split-characters', 'CHAT-8', 'a body in packets that end within characters').run(readsWhole),
]
