// The usage of a streamed answer: one last chunk if it was requested, and none if not (STREAM-7).
import { type Case, check } from '../../runner/case.ts'
import { readStream } from '../../../harness/http/event-stream.ts'
import type { Verifier } from '../../../harness/verify/verify.ts'
import { at, isRecord, show } from '../../../harness/verify/json-value.ts'
import { isUsageChunk, ownStream, streamedAnswer } from './answers.ts'

/** The last chunk, and no other, has no choices, and it carries the usage. */
export const usageChunkLast: Verifier = (exchange) => {
  const { chunks } = readStream(exchange)
  const places = chunks.flatMap((chunk, place) => (isUsageChunk(chunk) ? [place] : []))
  if (places.length === 1 && places[0] === chunks.length - 1) return undefined
  const expected = 'one chunk with empty `choices` and `usage`, the last one'
  if (places.length === 0) return { expected, actual: `none, the last one is ${show(chunks.at(-1))}` }
  return { expected, actual: `chunks ${places.join(', ')} of 0 to ${chunks.length - 1}` }
}

/** `usage` is null or absent on every chunk but the usage chunk. */
export const noUsageElsewhere: Verifier = (exchange) => {
  const odd = readStream(exchange).chunks.find(
    (chunk) => !isUsageChunk(chunk) && isRecord(at(chunk, 'usage')),
  )
  return odd === undefined ? undefined : { expected: 'no usage on a chunk with choices', actual: show(odd) }
}

/** There is no usage chunk. */
export const noUsageChunk: Verifier = (exchange) => {
  const odd = readStream(exchange).chunks.find(isUsageChunk)
  return odd === undefined ? undefined : { expected: 'no usage chunk', actual: show(odd) }
}

const withOptions = [
  ['usage-chunk-last', 'include_usage: one last chunk with the usage', true, usageChunkLast],
  ['no-usage-elsewhere', 'include_usage: no usage on the other chunks', true, noUsageElsewhere],
  ['no-usage-chunk-if-false', 'include_usage: false', false, noUsageChunk],
] as const

export const usageCases: readonly Case[] = [
  ...withOptions.map(([slug, title, include_usage, verifier]) =>
    check(`stream.${slug}`, 'STREAM-7', title).run(async (t) => {
      await t.target.requireField('stream_options')
      t.expect((await ownStream(t, { stream_options: { include_usage } })).exchange, verifier)
    }),
  ),
  check('stream.no-usage-chunk', 'STREAM-7', 'no usage chunk if it was not requested').run(async (t) =>
    t.expect((await streamedAnswer(t)).exchange, noUsageChunk),
  ),
]
