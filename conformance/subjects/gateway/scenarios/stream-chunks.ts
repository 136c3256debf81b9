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
  turnsOf,
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
  const delta = (index: number, part: Members, finish: string | null = null) =>
    chunk(head, part, finish, { index })
  const texts = ['The first choice, Zoë.', 'The other: 東京!'].map((text, index) =>
    deltasOf(text).map((content) => delta(index, { content })),
  )
  const ends = [delta(1, {}, 'length'), delta(0, {}, 'stop')]
  return [delta(1, ROLE), delta(0, ROLE), ...turnsOf(texts).flat(), ...ends, ...usageOf(asked)]
}

/** Calls whose fragments alternate, as those of a model that makes several at once. */
export function calls(asked: Asked): readonly Members[] {
  const fragment = (index: number, members: Members) => ({ tool_calls: [{ index, ...members }] })
  const opened = CALLS.map((call, index) =>
    fragment(index, { ...call, function: { ...call.function, arguments: '' } }),
  )
  const parts = CALLS.map((call, index) =>
    deltasOf(call.function.arguments).map((text) => fragment(index, { function: { arguments: text } })),
  )
  const deltas = [{ ...ROLE, content: null }, ...opened, ...turnsOf(parts).flat()]
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
