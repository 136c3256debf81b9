// Answers that a reader must accept: null content, unknown members, unknown finish reasons (READ-2, READ-3, READ-6,
// READ-10).
import { at, isRecord, listAt } from '../../../../harness/json-value.ts'
import type { RequirementId } from '../../../../spec/catalogue/requirements.ts'
import {
  type Members,
  USAGE,
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
} from '../../../../harness/scripted-service/scripted-answers.ts'
import type { Asked, Step } from '../../../../harness/scripted-service/scripted-reply.ts'
import { type Scenario, type Observed, scenario } from '../scenario.ts'
import { printedText, tookAnswer } from '../verify/program-output.ts'
import { PLAIN, STREAMED } from './usual-answers.ts'

/** A scenario with another form of the good answer, which a program reads as it reads the usual one. */
function reads(requirement: RequirementId, name: string, title: string) {
  const answered = (stream: boolean, step: Step, verify: Verify = printedText): Scenario => {
    const usual = stream ? STREAMED : PLAIN
    return scenario(`read.${name}`, requirement, title)
      .with({ beside: [usual], requested: { stream }, script: [step] })
      .verify((observed, beside) => void verify(observed, beside(usual)))
  }
  return {
    plain: (parts: Parameters<typeof completion>[1], verify?: Verify) =>
      answered(
        false,
        plain((asked) => jsonReply(200, completion(asked, parts))),
        verify,
      ),
    streamed: (chunks: (asked: Asked) => readonly Members[]) =>
      answered(
        true,
        streamed((asked) => streamReply(recordsOf(chunks(asked)))),
      ),
  }
}

type Verify = (observed: Observed, usual: Observed) => unknown

/** Unknown members, with every kind of value. */
const UNKNOWN: Members = {
  x_note: 'new',
  x_list: [1, { deep: null }],
  x_object: { kind: 'new' },
  x_null: null,
  x_number: 1e21,
  x_flag: true,
}

/** A change of the one choice of a chunk. */
function inChoice(change: (choice: Members) => Members): (one: Members) => Members {
  return (one) => ({ ...one, choices: listAt(one, 'choices').filter(isRecord).map(change) })
}

const withUnknownChoice = inChoice((choice) => ({ ...choice, ...UNKNOWN }))
const withUnknownDelta = inChoice((choice) => ({
  ...choice,
  delta: { ...Object(choice['delta']), ...UNKNOWN },
}))
const withUnknownFinish = inChoice((choice) =>
  choice['finish_reason'] === 'stop' ? { ...choice, finish_reason: 'time_limit' } : choice,
)

/** A chunk whose choice and delta have other members; undefined removes one. */
const withMembers = (top: Members, choice: Members, delta: Members) => (one: Members) =>
  inChoice((own) => ({ ...own, ...choice, delta: { ...Object(own['delta']), ...delta } }))({ ...one, ...top })

/** The members that a service may leave out, and those of calls. */
const OPTIONAL = '`usage`, `refusal`, `logprobs` and `system_fingerprint`'
const NULLABLE =
  '`usage`, `refusal`, `logprobs`, `system_fingerprint`, `tool_calls`, `function_call` and `audio`'
const NO_CALLS: Members = { tool_calls: null, function_call: null, audio: null }

const NO_DETAILS: Members = { prompt_tokens_details: null, completion_tokens_details: null }

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
  // Without a refusal, which a program may report as a failure.
  reads('READ-2', 'null-content', 'null content without calls').plain(
    { message: { content: null } },
    tookAnswer,
  ),
  reads('READ-2', 'null-content-streamed', 'deltas whose content is null, among others').streamed((asked) => {
    const head = chunkHead(asked)
    const empty = chunk(head, { content: null })
    const [, ...rest] = chunksOf(asked)
    return [
      chunk(head, { role: 'assistant', content: null }),
      empty,
      ...rest.flatMap((one) => (isLast(one) ? [one] : [one, empty])),
    ]
  }),
  reads('READ-2', 'absent-members', `an answer without ${OPTIONAL}`).plain({
    message: { refusal: undefined },
    choice: { logprobs: undefined },
    top: { usage: undefined, system_fingerprint: undefined },
  }),
  reads('READ-2', 'empty-members', 'an empty `refusal` and no calls beside a text').plain({
    message: { refusal: '', tool_calls: [] },
  }),
  reads('READ-2', 'null-members', `an answer in which ${NULLABLE} are null`).plain({
    message: NO_CALLS,
    top: { usage: null, system_fingerprint: null },
  }),
  reads('READ-2', 'null-usage-details', 'a `usage` whose details are null').plain({
    top: { usage: { ...USAGE, ...NO_DETAILS } },
  }),
  reads('READ-2', 'null-usage-details-streamed', 'a chunk of `usage` whose details are null').streamed(
    (asked) => [
      ...chunksOf({ ...asked, includeUsage: false }),
      usageChunk(chunkHead(asked), { ...USAGE, ...NO_DETAILS }),
    ],
  ),
  reads('READ-2', 'absent-members-streamed', `chunks without ${OPTIONAL}`).streamed((asked) =>
    chunksOf(asked).map(
      withMembers({ system_fingerprint: undefined }, { logprobs: undefined }, { refusal: undefined }),
    ),
  ),
  reads('READ-2', 'null-members-streamed', `chunks in which ${NULLABLE} are null`).streamed((asked) => [
    ...chunksOf({ ...asked, includeUsage: false }).map(
      withMembers({ usage: null, system_fingerprint: null }, {}, { refusal: null, ...NO_CALLS }),
    ),
    ...(asked.includeUsage ? [usageChunk(chunkHead(asked))] : []),
  ]),
  reads('READ-3', 'unknown-members', 'members of an answer, a choice and a message that no schema has').plain(
    {
      message: UNKNOWN,
      choice: UNKNOWN,
      top: UNKNOWN,
    },
  ),
  reads('READ-3', 'unknown-members-of-chunks', 'members of a chunk and a choice that no schema has').streamed(
    (asked) => chunksOf(asked).map((one) => withUnknownChoice({ ...one, ...UNKNOWN })),
  ),
  reads('READ-3', 'unknown-members-of-deltas', 'members of a delta that no schema has').streamed((asked) =>
    chunksOf(asked).map(withUnknownDelta),
  ),
  reads('READ-6', 'usage-chunk', 'a chunk of usage without choices behind the last one').streamed((asked) => [
    ...chunksOf({ ...asked, includeUsage: false }),
    usageChunk(chunkHead(asked)),
  ]),
  reads('READ-6', 'filter-chunk', 'the report of a filter without choices ahead of the text').streamed(
    (asked) => [filterReport(asked), ...chunksOf(asked)],
  ),
  reads('READ-6', 'empty-chunk-between', 'chunks without choices between the others').streamed((asked) => {
    const empty = { ...chunkHead(asked), choices: [] }
    return chunksOf({ ...asked, includeUsage: false }).flatMap((one) => [one, empty])
  }),
  reads('READ-10', 'unknown-finish-reason', 'a `finish_reason` that no schema has').plain({
    choice: { finish_reason: 'time_limit' },
  }),
  reads(
    'READ-10',
    'unknown-finish-reason-streamed',
    'a streamed `finish_reason` that no schema has',
  ).streamed((asked) => chunksOf(asked).map(withUnknownFinish)),
]

/** Returns whether no delta may follow a chunk. */
function isLast(one: Members): boolean {
  const choices = listAt(one, 'choices')
  return choices.length === 0 || choices.some((choice) => at(choice, 'finish_reason') !== null)
}
