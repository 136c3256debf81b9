// The chunks of streams that cross a gateway: a text, choices and calls whose deltas alternate, log probabilities.
import {
  type Members,
  ROLE,
  chunk,
  chunkHead,
  chunksOf,
  chunksWith,
  deltasOf,
  recordsOf,
  streamReply,
  usageChunk,
} from '../../../../harness/scripted-service/scripted-answers.ts'
import type { Asked, Reply, Step } from '../../../../harness/scripted-service/scripted-reply.ts'
import { CALLS, LOGPROBS, USAGE } from './unchanged-answers.ts'

/** The chunks of a text, from its role to its finish reason, and the usage if it was requested. */
export function textChunks(asked: Asked, text: string, reason?: string): readonly Members[] {
  return chunksOf({ ...asked, text }, reason, USAGE)
}

/** The usage, if it was requested. */
function usageOf(asked: Asked): readonly Members[] {
  return asked.includeUsage ? [usageChunk(asked, USAGE)] : []
}

/** A stream of these chunks, each in a piece of its own, in one go. */
export function streamOf(chunks: (asked: Asked) => readonly Members[]): Step {
  return (asked): Reply => streamReply(recordsOf(chunks(asked), 0))
}

/** Two choices whose deltas alternate. */
export function twoChoices(asked: Asked): readonly Members[] {
  const head = chunkHead(asked)
  const [one, other] = [deltasOf('The first choice, Zoë.'), deltasOf('The other: 東京!')]
  const delta = (index: number, part: Members, finish: string | null = null) =>
    chunk(head, part, finish, { index })
  return [
    delta(1, ROLE),
    delta(0, ROLE),
    ...one.flatMap((content, place) => {
      const second = other[place]
      return second === undefined
        ? [delta(0, { content })]
        : [delta(0, { content }), delta(1, { content: second })]
    }),
    delta(1, {}, 'length'),
    delta(0, {}, 'stop'),
    ...usageOf(asked),
  ]
}

/** Calls whose fragments alternate, as those of a model that makes several at once. */
export function calls(asked: Asked): readonly Members[] {
  const fragment = (index: number, members: Members) => ({ tool_calls: [{ index, ...members }] })
  const parts = CALLS.map(({ function: { arguments: text } }) => deltasOf(text))
  const longest = Math.max(...parts.map(({ length }) => length))
  const deltas = [
    { ...ROLE, content: null },
    ...CALLS.map((call, index) =>
      fragment(index, { ...call, function: { ...call.function, arguments: '' } }),
    ),
    ...Array.from({ length: longest }, (_, place) =>
      parts.flatMap((own, index) =>
        own[place] === undefined ? [] : [fragment(index, { function: { arguments: own[place] } })],
      ),
    ).flat(),
  ]
  return [...chunksWith(asked, deltas, 'tool_calls'), ...usageOf(asked)]
}

export function withLogprobs(asked: Asked): readonly Members[] {
  const head = chunkHead(asked)
  const texts = ['Zo', '', 'ë', '']
  return [
    chunk(head, ROLE),
    ...LOGPROBS.map((entry, place) =>
      chunk(head, { content: texts[place] }, null, { logprobs: { content: [entry], refusal: null } }),
    ),
    chunk(head, {}, 'stop'),
    ...usageOf(asked),
  ]
}
