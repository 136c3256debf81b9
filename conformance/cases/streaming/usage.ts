// The usage of a streamed answer: one last chunk where it was asked for, and none where it was not (STREAM-7).
import { type Case, type CaseContext, casesOf } from '../../runner/case.ts'
import { readStream } from '../../../harness/http/event-stream.ts'
import type { Verifier } from '../../../harness/verify/verify.ts'
import { at, isRecord, show } from '../../../harness/verify/json-value.ts'
import { type StreamedAnswer, isUsageChunk, ownStream, streamedAnswer } from './answers.ts'

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

/** A stream with `stream_options`, which the target takes: its refusal is then a failure. */
async function streamWithOptions(t: CaseContext, options: object): Promise<StreamedAnswer> {
  await t.target.requireField('stream_options')
  return ownStream(t, { stream_options: options })
}

export const usageCases: readonly Case[] = [
  ...casesOf('STREAM-7', {
    'stream.usage-chunk-last': {
      title: 'include_usage: one last chunk with the usage',
      async run(t) {
        const { exchange } = await streamWithOptions(t, { include_usage: true })
        t.expect(exchange, usageChunkLast)
      },
    },
    'stream.no-usage-elsewhere': {
      title: 'include_usage: no usage on the other chunks',
      async run(t) {
        const { exchange } = await streamWithOptions(t, { include_usage: true })
        t.expect(exchange, noUsageElsewhere)
      },
    },
    'stream.no-usage-chunk': {
      title: 'no usage chunk where none was asked for',
      run: async (t) => t.expect((await streamedAnswer(t)).exchange, noUsageChunk),
    },
    'stream.no-usage-chunk-if-false': {
      title: 'include_usage: false',
      async run(t) {
        const { exchange } = await streamWithOptions(t, { include_usage: false })
        t.expect(exchange, noUsageChunk)
      },
    },
  }),
]
