// Parts in the result of a tool: an image is read or refused by name, and the texts around it are read (WIRE-36).
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { at } from '../../../../../harness/json-value.ts'
import { status } from '../../../../../harness/verify/verify.ts'
import { IMAGE_PART } from '../../../../contract/capabilities.ts'
import type { Case, CaseContext } from '../../case.ts'
import { isSuccess } from '../requests/chat-calls.ts'
import { usageOf } from '../requests/asked.ts'
import { type Way, eitherWay, readAnswer, requireOrdinary } from '../streaming/streamed-answers.ts'
import { chatWithHistory } from '../tools/history.ts'
import { namedPart } from '../wire/unsupported.ts'

const call = { id: 'call_1', type: 'function', function: { name: 'take_picture', arguments: '{}' } }

const text = (said: string) => ({ type: 'text', text: said })

/** A conversation whose tool returned these parts. */
const returning = (...content: readonly object[]): readonly object[] => [
  { role: 'user', content: 'What does the camera show?' },
  { role: 'assistant', content: null, tool_calls: [call] },
  { role: 'tool', tool_call_id: call.id, content },
]

const TEXT = text('The picture was taken.')
const LATER = text('It is an old picture of a stone.')

/** The conversations, each with one part more than the one before. */
const GROWING = [returning(TEXT), returning(TEXT, IMAGE_PART), returning(TEXT, IMAGE_PART, LATER)] as const

async function ask(
  t: CaseContext,
  messages: readonly object[],
  { members, streamed }: Way,
): Promise<Exchange> {
  const usage = streamed && (await t.target.supports('stream_options'))
  const options = usage ? { stream_options: { include_usage: true } } : {}
  return chatWithHistory(t, { messages, ...members, ...options })
}

/** The `prompt_tokens` of an answer; undefined if it does not count them. */
function countOf(t: CaseContext, exchange: Exchange, streamed: boolean): number | undefined {
  if (streamed) readAnswer(t, exchange)
  const count = at(usageOf(exchange), 'prompt_tokens')
  return typeof count === 'number' ? count : undefined
}

async function readOrRefused(t: CaseContext, way: Way): Promise<void> {
  const [without, withImage, withMore] = GROWING
  const plain = await ask(t, without, way)
  if (!isSuccess(plain)) t.inconclusive('a result in text parts is refused, which WIRE-9 judges')
  const before = countOf(t, plain, way.streamed)
  const exchange = await ask(t, withImage, way)
  if (!isSuccess(exchange)) {
    await requireOrdinary(t, way.streamed)
    return t.expect(exchange, status(400), namedPart('image_url'))
  }
  const count = countOf(t, exchange, way.streamed)
  if (before === undefined || count === undefined)
    return t.notApplicable('the image is taken, and no `usage.prompt_tokens` shows whether it is read')
  t.assert(
    count > before,
    {
      expected: `prompt_tokens above ${before}, the count without the image, or a 400 that names it`,
      actual: String(count),
    },
    exchange,
  )
  const more = await ask(t, withMore, way)
  if (!isSuccess(more)) return t.expect(more, status(400), namedPart('image_url'))
  const last = countOf(t, more, way.streamed) ?? 0
  t.assert(
    last > count,
    {
      expected: `prompt_tokens above ${count}, the count without the text behind the image`,
      actual: String(last),
    },
    more,
  )
}

export const resultImageCases: readonly Case[] = eitherWay(
  'wire.result-image',
  'WIRE-36',
  'an image in the result of a tool: read, or refused by name',
).run(readOrRefused)
