// Conformance under load: while k6 runs, the judge's verifiers read some answers byte for byte, plain and streamed in
// turn. Each must be well-formed, have a unique id, and answer its own question.
import { setTimeout as sleep } from 'node:timers/promises'
import { errorStatus, typeOfStatus } from '../../harness/verify/error-verifiers.ts'
import { readStream } from '../../harness/http/event-stream.ts'
import { createProbe } from '../../harness/http/probe.ts'
import { type Exchange, json } from '../../harness/http/exchange.ts'
import { TransportError } from '../../harness/http/transport-error.ts'
import type { TargetFacts } from '../../harness/target-facts.ts'
import {
  choiceIndexes,
  choiceRoles,
  choices,
  completionCreated,
  completionId,
  completionModel,
  completionObject,
  contentOf,
  finishReasons,
  usageCounts,
} from '../../harness/verify/verify-completion.ts'
import {
  completeAnswer,
  contentType,
  errorEnvelope,
  type Mismatch,
  jsonContentType,
  type Verifier,
} from '../../harness/verify/verify.ts'
import { at, show } from '../../harness/json-value.ts'
import { type Assertion, assertion, notJudged } from '../judges/judgement.ts'
import type { LoadPlan } from '../theory/load-plan.ts'

/** The most mismatches that are shown. */
const SHOWN = 3

export type Sample = Awaited<ReturnType<typeof sampleAnswers>>

export interface SamplerOptions {
  readonly plan: LoadPlan
  readonly key: string
  /** The interval between the starts of two requests. */
  readonly everyMs: number
  /** Ends the sampling. */
  readonly until: AbortSignal
}

const plain: readonly Verifier[] = [
  completeAnswer,
  jsonContentType,
  choices,
  completionId,
  completionObject,
  completionCreated,
  completionModel,
  choiceIndexes,
  choiceRoles,
  finishReasons,
  usageCounts,
]

const streamed: readonly Verifier[] = [
  completeAnswer,
  contentType(/^text\/event-stream\s*(;|$)/i),
  (exchange) => {
    const { wellFormed, doneCount, afterDone, errors, rest, records, chunks } = readStream(exchange)
    const whole = wellFormed && doneCount === 1 && afterDone === 0 && rest === '' && errors.length === 0
    if (whole && chunks.length === records.length) return undefined
    return {
      expected: 'a stream of chunks that [DONE] ends',
      actual: `${chunks.length} chunks, ${doneCount} × [DONE]`,
    }
  },
  (exchange) => {
    const ids = new Set(readStream(exchange).chunks.map((chunk) => at(chunk, 'id')))
    return ids.size === 1 ? undefined : { expected: 'one id in all chunks', actual: show([...ids]) }
  },
]

const refusal: readonly Verifier[] = [completeAnswer, errorStatus, errorEnvelope, typeOfStatus]

/** Samples until `until` is aborted. */
export async function sampleAnswers(options: SamplerOptions) {
  const { plan, everyMs, until } = options
  const probe = createProbe({
    baseUrl: plan.baseUrl,
    authHeader: plan.authHeader,
    key: options.key,
    timeoutMs: plan.timeoutSeconds * 1000,
  })
  const ids = new Set<unknown>()
  const mismatches: Mismatch[] = []
  /** The number of requests with a well-formed refusal, and of all answers. */
  let refused = 0
  let judged = 0
  try {
    for (let count = 0; !until.aborted; count++) {
      const next = sleep(everyMs, undefined, { signal: until }).catch(() => undefined)
      const isStreamed = count % 2 === 1
      const question = `sample ${crypto.randomUUID()}`
      const messages = [{ role: 'user', content: question }]
      const body = JSON.stringify({ model: plan.model, messages, stream: isStreamed })
      try {
        const exchange = await probe.send({ path: '/v1/chat/completions', body }, until)
        const id = isStreamed ? at(readStream(exchange).chunks[0], 'id') : at(json(exchange), 'id')
        const isAnswer = exchange.response.status === 200
        const twice = isAnswer && ids.has(id) ? { expected: 'a unique id', actual: show(id) } : undefined
        const mismatch = judgeOne(exchange, plan, isStreamed, question) ?? twice
        if (mismatch !== undefined) mismatches.push(mismatch)
        if (isAnswer) ids.add(id)
        else refused += 1
      } catch (error) {
        if (until.aborted) break
        if (!(error instanceof TransportError)) throw error
        mismatches.push({ expected: 'an answer', actual: error.message })
      }
      judged += 1
      await next
    }
  } finally {
    probe.close()
  }
  return { judged, refused, mismatches }
}

function judgeOne(
  exchange: Exchange,
  plan: LoadPlan,
  isStreamed: boolean,
  question: string,
): Mismatch | undefined {
  const { status } = exchange.response
  const facts: TargetFacts = {
    baseUrl: plan.baseUrl,
    profile: plan.refusalForm ? 'service' : 'wire',
    model: plan.model,
  }
  if (status !== 200 && status !== 429 && status !== 503)
    return { expected: 'status 200, 429 or 503', actual: `status ${status}` }
  if (status !== 200 && !plan.refusalForm) return undefined
  for (const verify of status !== 200 ? refusal : isStreamed ? streamed : plain) {
    const mismatch = verify(exchange, facts)
    if (mismatch !== undefined) return mismatch
  }
  if (status !== 200 || !plan.echoes) return undefined
  const content = isStreamed ? readStream(exchange).choices[0]?.content : contentOf(exchange)
  return content === question ? undefined : { expected: show(question), actual: show(content) }
}

/** The assertion on the sample. */
export function sampled(sample: Sample | undefined): Assertion {
  const expected = 'answers read byte for byte under load are correct'
  if (sample === undefined) return notJudged('sampled', expected, 'there is no key for the sample')
  const { judged, refused, mismatches } = sample
  if (judged === 0) return notJudged('sampled', expected, 'the run was too short')
  const wrong = mismatches
    .slice(0, SHOWN)
    .map(({ expected, actual }) => `expected ${expected}, got ${actual}`)
  return assertion(
    'sampled',
    mismatches.length === 0,
    expected,
    mismatches.length === 0
      ? `${judged} of ${judged}${refused > 0 ? `, ${refused} of them refusals` : ''}`
      : `${mismatches.length} of ${judged} are not: ${wrong.join('; ')}`,
  )
}
