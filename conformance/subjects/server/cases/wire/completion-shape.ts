// The members of a completion, each judged by itself (WIRE-1, 2, 4, 5, 22), and headers: an id on every answer, a new one each
// time (WIRE-21).
import type { RequirementId } from '../../../../../spec/catalogue/requirements.ts'
import { type Case, type CaseContext, check, type Variants } from '../../case.ts'
import { observe, type Observer } from '../../../../contract/observer.ts'
import { type Exchange, json, header } from '../../../../../harness/http/exchange.ts'
import * as verifiers from '../../../../../harness/verify/verify-completion.ts'
import { type Verifier, bodyMember, jsonBody, jsonContentType } from '../../../../../harness/verify/verify.ts'
import { at, show } from '../../../../../harness/json-value.ts'
import { chatWithChoices, isSuccess, plainAnswer } from '../requests/chat-calls.ts'
import { streamedAnswer } from '../streaming/streamed-answers.ts'
import { modelList } from '../requests/endpoints.ts'

/** Answers whose ids are compared. */
const ANSWERS = 5

const pieces: Variants<[requirement: RequirementId, verifier: Verifier]> = {
  id: ['`id` of a completion', 'WIRE-1', verifiers.completionId],
  object: ['`object` of a completion', 'WIRE-1', verifiers.completionObject],
  created: ['`created` of a completion', 'WIRE-1', verifiers.completionCreated],
  model: ['`model` of a completion', 'WIRE-1', verifiers.completionModel],
  choices: [
    '`choices` of a completion',
    'WIRE-1',
    jsonBody(bodyMember('choices', 'an array', Array.isArray)),
  ],
  'choice-index': ['`index` of a choice', 'WIRE-2', verifiers.choiceIndexes],
  role: ['`message.role` of a choice', 'WIRE-2', verifiers.choiceRoles],
  'finish-reason': ['`finish_reason` of a choice', 'WIRE-2', verifiers.finishReasons],
  logprobs: ['`logprobs` of a choice', 'WIRE-2', verifiers.choiceLogprobs],
  'content-type': ['content type of a completion', 'WIRE-5', jsonContentType],
}

/** The ids of several answers differ; the last answer is the evidence. */
function expectDifferent(t: CaseContext, ids: readonly unknown[], evidence: Exchange | undefined): void {
  const differ = new Set(ids).size === ids.length
  t.assert(differ, { expected: `${ids.length} different ids`, actual: show(ids) }, evidence)
}

/** The answer is JSON: an object or an array, not a stream. */
function isJsonAnswer(exchange: Exchange): boolean {
  const body = json(exchange)
  return exchange.request.method !== 'HEAD' && typeof body === 'object' && body !== null
}

/** The id of a stream: the first that is not empty. STREAM-3 judges that one is on some chunks only. */
export function idOfChunks(chunks: readonly unknown[]): unknown {
  const ids = chunks.map((chunk) => at(chunk, 'id'))
  return ids.find((id) => id !== '') ?? ids[0]
}

export const completionCases: readonly Case[] = [
  ...Object.entries(pieces).map(([slug, [title, requirement, verifier]]) =>
    check(`wire.${slug}`, requirement, title).run(async (t) => t.expect(await plainAnswer(t), verifier)),
  ),
  check('wire.choice-indexes', 'WIRE-2', '`index` of each of three choices').run(async (t) => {
    const exchange = await chatWithChoices(t, 3)
    if (!isSuccess(exchange)) t.inconclusive('three choices did not come, which WIRE-6 judges')
    t.expect(exchange, verifiers.choiceIndexes)
  }),
  check('wire.ids-differ', 'WIRE-4', `the ids of ${ANSWERS} completions of the same request`).run(
    async (t) => {
      const exchanges = await Promise.all(Array.from({ length: ANSWERS }, () => plainAnswer(t)))
      const ids = exchanges.map((exchange) => at(json(exchange), 'id'))
      if (ids.includes(undefined)) t.inconclusive('a completion has no id, which WIRE-1 judges')
      expectDifferent(t, ids, exchanges.at(-1))
    },
  ),
  check('wire.stream-ids-differ', 'WIRE-4', 'the ids of two streamed answers to the same request').run(
    async (t) => {
      const answers = [await streamedAnswer(t), await streamedAnswer(t)]
      const ids = answers.map(({ stream }) => idOfChunks(stream.chunks))
      if (ids.includes(undefined)) t.inconclusive('a chunk has no id, which STREAM-3 judges')
      expectDifferent(t, ids, answers[1]?.exchange)
    },
  ),
  check('wire.usage-present', 'WIRE-22', '`usage` of a completion').run(async (t) =>
    t.expect(await plainAnswer(t), verifiers.usagePresent),
  ),
]

export const completionObservers: readonly Observer[] = [
  observe('wire.every-content-type', 'WIRE-5', 'the content type of every JSON answer that was seen')
    .on(isJsonAnswer)
    .verify(jsonContentType),
]

/** Enough to see that an id comes back. */
const ASKED = 3

const hasRequestId: Verifier = (exchange) => {
  const id = header(exchange, 'x-request-id') ?? ''
  return id === '' ? { expected: 'an x-request-id header', actual: show(id) } : undefined
}

function newRequestId(): Verifier {
  const seen = new Set<string>()
  return (exchange) => {
    const id = header(exchange, 'x-request-id') ?? ''
    if (seen.has(id)) return { expected: 'an x-request-id of its own', actual: show(id) }
    seen.add(id)
    return undefined
  }
}

export const headerCases: readonly Case[] = [
  check('wire.request-id-differs', 'WIRE-21', 'x-request-id, different each time').run(async (t) => {
    const isNew = newRequestId()
    for (let asked = 0; asked < ASKED; asked++)
      t.expect(await t.send(modelList.request(t)), hasRequestId, isNew)
  }),
]

export const headerObservers: readonly Observer[] = [
  observe('wire.request-id-on-every-answer', 'WIRE-21', 'x-request-id on every answer')
    .with({ ofHead: true })
    .on(() => true)
    .verify(hasRequestId),
  observe('wire.every-request-id', 'WIRE-21', 'x-request-id, another one on each answer of the run')
    .with({ ofHead: true })
    .on((exchange) => (header(exchange, 'x-request-id') ?? '') !== '')
    .compare(newRequestId),
]
