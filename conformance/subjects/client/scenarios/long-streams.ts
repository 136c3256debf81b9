// A stream that takes long and never pauses for a second (READ-16).
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ROLE,
  chunksWith,
  recordsOf,
  streamReply,
  streamed,
} from '../../../../harness/scripted-service/scripted-answers.ts'
import { clockMs } from '../../../../harness/scripted-service/measuring-clock.ts'
import type { Piece } from '../../../../harness/scripted-service/scripted-reply.ts'
import { type Scenario, scenario } from '../scenario.ts'
import { readsToItsEnd } from '../verify/long-streams.ts'
import { STREAMED } from './usual-answers.ts'

/**
 * The duration of the stream and the time between two deltas, in milliseconds: a client whose limit is 90 s has time to
 * connect, and on a busy machine a delta still comes each second.
 */
const LONG_MS = 86_000
const EACH_MS = 500

/** The sum of its waits: the role and the end of the choice are records too, and `[DONE]`. */
const DELTAS = LONG_MS / EACH_MS - 2

/** The pieces at their times since the first, so that delays of a busy machine do not add up. */
function onTime(pieces: readonly Piece[]): readonly Piece[] {
  let beginMs: number | undefined
  return pieces.map(({ bytes }, place) => ({
    bytes,
    afterMs: 0,
    when() {
      beginMs ??= clockMs()
      return sleep(Math.max(0, beginMs + place * EACH_MS - clockMs()))
    },
  }))
}

const textOf = (words: string): string => `${words} `.repeat(DELTAS)

export const scenarios: readonly Scenario[] = [
  scenario('read.long-stream', 'READ-16', `a stream of ${LONG_MS / 1000} s with two deltas each second`)
    .with({
      thorough: true,
      answerMs: LONG_MS,
      beside: [STREAMED],
      requested: { stream: true },
      text: textOf,
      script: [
        streamed((asked) => {
          const size = asked.text.length / DELTAS
          const texts = Array.from({ length: DELTAS }, (_, at) =>
            asked.text.slice(at * size, (at + 1) * size),
          )
          const chunks = chunksWith(asked, [ROLE, ...texts.map((content) => ({ content }))])
          return streamReply(onTime(recordsOf(chunks, 0)))
        }),
      ],
    })
    .verify((observed, beside) => readsToItsEnd(observed, beside(STREAMED), LONG_MS)),
]
