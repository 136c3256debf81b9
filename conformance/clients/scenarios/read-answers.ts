// Answers that a reader must accept: null content, unknown members, unknown finish reasons (READ-2, READ-3, READ-6,
// READ-10).
import { at, isRecord, listAt } from '../../../harness/verify/json-value.ts'
import type { RequirementId } from '../../../spec/catalogue/requirements.ts'
import {
  type Members,
  chunk,
  chunkHead,
  chunksOf,
  completion,
  jsonReply,
  plain,
  recordsOf,
  streamReply,
  streamed,
  usageChunk,
} from '../scripted-service/answers.ts'
import type { Asked, Step } from '../scripted-service/reply.ts'
import { type Scenario, type Observed, withOneCheck } from '../scenario.ts'
import { printedText, tookAnswer } from '../verify/program.ts'
import { PLAIN, STREAMED } from './plain.ts'

function reads(
  requirement: RequirementId,
  name: string,
  title: string,
  stream: boolean,
  step: Step,
  verify: (observed: Observed, usual: Observed) => unknown = printedText,
): Scenario {
  const usual = stream ? STREAMED : PLAIN
  return withOneCheck({
    id: `read.${name}`,
    requirement,
    title,
    beside: [usual],
    verify: (observed, beside) => void verify(observed, beside(usual)),
    requested: { stream },
    script: [step],
  })
}

/** Unknown members, with every kind of value. */
const UNKNOWN: Members = {
  x_note: 'new',
  x_list: [1, { deep: null }],
  x_object: { kind: 'new' },
  x_null: null,
  x_number: 1e21,
  x_flag: true,
}

/** The chunks of the good answer, each changed. */
function changed(asked: Asked, change: (one: Members, at: number) => Members) {
  return streamReply(recordsOf(chunksOf(asked).map(change)))
}

/** A change of the one choice of a chunk. */
function inChoice(change: (choice: Members) => Members): (one: Members) => Members {
  return (one) => ({ ...one, choices: listAt(one, 'choices').filter(isRecord).map(change) })
}

const withUnknownDelta = inChoice((choice) => ({
  ...choice,
  delta: { ...Object(choice['delta']), ...UNKNOWN },
}))

/** A filter report, which some services send before the text. */
function filterReport(asked: Asked): Members {
  return {
    ...chunkHead(asked),
    id: '',
    model: '',
    choices: [],
    prompt_filter_results: [
      { prompt_index: 0, content_filter_results: { hate: { filtered: false, severity: 'safe' } } },
    ],
  }
}

export const scenarios: readonly Scenario[] = [
  reads(
    'READ-2',
    'null-content',
    'null content without calls',
    false,
    // Without a refusal, which a program may report as a failure.
    plain((asked) => jsonReply(200, completion(asked, { message: { content: null } }))),
    tookAnswer,
  ),
  reads(
    'READ-2',
    'null-content-streamed',
    'deltas whose content is null, among others',
    true,
    streamed((asked) => {
      const head = chunkHead(asked)
      const empty = chunk(head, { content: null })
      const [, ...rest] = chunksOf(asked)
      return streamReply(
        recordsOf([
          chunk(head, { role: 'assistant', content: null }),
          empty,
          ...rest.flatMap((one) => (isLast(one) ? [one] : [one, empty])),
        ]),
      )
    }),
  ),
  reads(
    'READ-3',
    'unknown-members',
    'members of an answer, a choice and a message that no schema has',
    false,
    plain((asked) => jsonReply(200, completion(asked, { message: UNKNOWN, choice: UNKNOWN, top: UNKNOWN }))),
  ),
  reads(
    'READ-3',
    'unknown-members-of-chunks',
    'members of a chunk and a choice that no schema has',
    true,
    streamed((asked) =>
      changed(asked, (one) => inChoice((choice) => ({ ...choice, ...UNKNOWN }))({ ...one, ...UNKNOWN })),
    ),
  ),
  reads(
    'READ-3',
    'unknown-members-of-deltas',
    'members of a delta that no schema has',
    true,
    streamed((asked) => changed(asked, withUnknownDelta)),
  ),
  reads(
    'READ-6',
    'usage-chunk',
    'a chunk of usage without choices behind the last one',
    true,
    streamed((asked) =>
      streamReply(recordsOf([...chunksOf({ ...asked, includeUsage: false }), usageChunk(asked)])),
    ),
  ),
  reads(
    'READ-6',
    'filter-chunk',
    'the report of a filter without choices ahead of the text',
    true,
    streamed((asked) => streamReply(recordsOf([filterReport(asked), ...chunksOf(asked)]))),
  ),
  reads(
    'READ-6',
    'empty-chunk-between',
    'chunks without choices between the others',
    true,
    streamed((asked) => {
      const chunks = chunksOf({ ...asked, includeUsage: false })
      return streamReply(recordsOf(chunks.flatMap((one) => [one, { ...chunkHead(asked), choices: [] }])))
    }),
  ),
  reads(
    'READ-10',
    'unknown-finish-reason',
    'a `finish_reason` that no schema has',
    false,
    plain((asked) => jsonReply(200, completion(asked, { choice: { finish_reason: 'time_limit' } }))),
  ),
  reads(
    'READ-10',
    'unknown-finish-reason-streamed',
    'a streamed `finish_reason` that no schema has',
    true,
    streamed((asked) =>
      changed(
        asked,
        inChoice((choice) =>
          choice['finish_reason'] === 'stop' ? { ...choice, finish_reason: 'time_limit' } : choice,
        ),
      ),
    ),
  ),
]

/** Returns whether no delta may follow a chunk. */
function isLast(one: Members): boolean {
  const choices = listAt(one, 'choices')
  return choices.length === 0 || choices.some((choice) => at(choice, 'finish_reason') !== null)
}
