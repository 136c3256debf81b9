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
  withUsage,
} from '../../../../harness/scripted-service/scripted-answers.ts'
import type { Asked, Reply, Step } from '../../../../harness/scripted-service/scripted-reply.ts'
import { CALLS, LOGPROBS, USAGE } from './unchanged-answers.ts'

/** The chunks of a text, from its role to its finish reason, and the usage if it was requested. */
export function textChunks(asked: Asked, text: string, reason?: string): readonly Members[] {
  return chunksOf({ ...asked, text }, reason, USAGE)
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
  return withUsage(asked, [delta(1, ROLE), delta(0, ROLE), ...turnsOf(texts).flat(), ...ends], USAGE)
}

/** Calls whose fragments alternate, as those of a model that makes several at once. */
export function calls(asked: Asked, finish = 'tool_calls'): readonly Members[] {
  const fragment = (index: number, members: Members) => ({ tool_calls: [{ index, ...members }] })
  const opened = CALLS.map((call, index) =>
    fragment(index, { ...call, function: { ...call.function, arguments: '' } }),
  )
  const parts = CALLS.map((call, index) =>
    deltasOf(call.function.arguments).map((text) => fragment(index, { function: { arguments: text } })),
  )
  const deltas = [{ ...ROLE, content: null }, ...opened, ...turnsOf(parts).flat()]
  return withUsage(asked, chunksWith(asked, deltas, finish), USAGE)
}

/** The deltas of one call: its opening, and its arguments in one fragment. */
export function wholeCall(text: string): readonly Members[] {
  const [first] = CALLS
  return [
    { ...ROLE, content: null },
    { tool_calls: [{ index: 0, ...first, function: { ...first.function, arguments: '' } }] },
    { tool_calls: [{ index: 0, function: { arguments: text } }] },
  ]
}

export function withLogprobs(asked: Asked): readonly Members[] {
  const head = chunkHead(asked)
  const texts = ['Zo', '', 'ë', '']
  const tokens = LOGPROBS.map((entry, place) =>
    chunk(head, { content: texts[place] }, null, { logprobs: { content: [entry], refusal: null } }),
  )
  return withUsage(asked, [chunk(head, ROLE), ...tokens, chunk(head, {}, 'stop')], USAGE)
}
