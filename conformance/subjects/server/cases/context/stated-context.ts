// The length of the context that a model record states is a number, the same in each place, and true (MODEL-9).
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { at, listAt, show } from '../../../../../harness/json-value.ts'
import type { Mismatch } from '../../../../../harness/verify/verify.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import { statedLengths } from '../../../../facts/context-facts.ts'
import { type Case, type CaseContext, check } from '../../case.ts'
import { isSuccess } from '../requests/chat-calls.ts'
import { isModelList, MODELS_PATH } from '../requests/endpoints.ts'
import { type SentPrompt, longPrompts, modelRecords, promptTokensOf } from './long-prompts.ts'

const NONE = 'no model record states the length of its context'

/** A prompt whose count is below this share of its tokens was not read whole. */
const READ_SHARE = 0.6

const judged = (record: unknown) => statedLengths(record).filter(({ use }) => use === 'judged')

/** The records of models in an answer, whatever its body is. */
function recordsIn(exchange: Exchange): readonly unknown[] {
  if (isModelList(exchange)) return listAt(json(exchange), 'data')
  const { request, response } = exchange
  const isRecord = request.method === 'GET' && request.path.startsWith(`${MODELS_PATH}/`)
  return isRecord && response.status === 200 ? [json(exchange)] : []
}

/** The first length of the records that is not a positive integer. */
function wrongForm(records: readonly unknown[]): Mismatch | undefined {
  for (const record of records) {
    const wrong = judged(record).find(({ value }) => !Number.isSafeInteger(value) || Number(value) <= 0)
    if (wrong !== undefined)
      return {
        expected: `${wrong.path} of ${show(at(record, 'id'))}, a positive integer`,
        actual: show(wrong.value),
      }
  }
  return undefined
}

/** Requires that a length is stated, and sends the requests that show it. */
async function requireStated(t: CaseContext) {
  const records = await modelRecords(t)
  if (records.every(({ record }) => judged(record).length === 0)) t.notApplicable(NONE)
  return records
}

/** An answer to a prompt within the stated length: it is answered, and read whole. */
function answered(t: CaseContext, { exchange, tokens }: SentPrompt, stated: number): void {
  const { status } = exchange.response
  if (status >= 500) t.inconclusive(`a long prompt was answered with ${status}, which CHAT-9 judges`)
  const prompt = `a prompt of about ${tokens.most} tokens, within the stated ${stated},`
  t.expect(exchange, () => {
    if (!isSuccess(exchange)) return { expected: `${prompt} is answered`, actual: refusalOf(exchange) }
    const counted = promptTokensOf(exchange)
    if (counted === undefined || counted >= tokens.least * READ_SHARE) return undefined
    return { expected: `${prompt} is read whole`, actual: `prompt_tokens ${counted}` }
  })
}

const refusalOf = (exchange: Exchange): string =>
  `status ${exchange.response.status}, ${show(at(json(exchange), 'error', 'message'))}`

export const statedContextCases: readonly Case[] = [
  check('models.context-in-both-places', 'MODEL-9', 'the length of the context, in the list and alone').run(
    async (t: CaseContext) => {
      const [list, alone] = (await requireStated(t)).map(({ record }) => record)
      const mismatch = wrongForm([list, alone])
      if (mismatch !== undefined) t.assert(false, mismatch)
      const pairs = judged(list).map(({ path, value }) => {
        return { path, value, other: at(alone, ...path.split('.')) ?? undefined }
      })
      // A record may have fewer members than the list.
      const odd = pairs.find(({ value, other }) => other !== undefined && other !== value)
      t.assert(odd === undefined, {
        expected: `${odd?.path} ${show(odd?.value)} of the record, as in the list`,
        actual: show(odd?.other),
      })
    },
  ),
  check('models.context-within', 'MODEL-9', 'a prompt clearly within the stated context').run(async (t) => {
    await requireStated(t)
    const { stated, sent } = await longPrompts(t)
    const least = Math.min(...stated)
    const within = sent.filter(({ tokens }) => tokens.most <= least)
    if (within.length === 0) t.inconclusive('no prompt within the stated context could be made')
    for (const prompt of within) answered(t, prompt, least)
  }),
  check('models.context-beyond', 'MODEL-9', 'a prompt beyond the stated context').run(async (t) => {
    await requireStated(t)
    const { stated, sent, bound } = await longPrompts(t)
    const most = Math.max(...stated)
    const beyond = sent.find(({ tokens }) => tokens.least > most)
    if (beyond === undefined)
      return t.notApplicable(bound === '' ? 'a prompt within the stated context is refused' : bound)
    const { exchange, tokens } = beyond
    if (exchange.response.status >= 500)
      t.inconclusive(`a long prompt was answered with ${exchange.response.status}, which CHAT-9 judges`)
    t.expect(exchange, () => {
      if (!isSuccess(exchange)) return undefined
      const counted = promptTokensOf(exchange)
      return {
        expected: `a prompt of about ${tokens.least} tokens, beyond the stated ${most}, is refused`,
        actual: `an answer with prompt_tokens ${show(counted)}`,
      }
    })
  }),
]

export const statedContextObservers: readonly Observer[] = [
  observe('models.every-context', 'MODEL-9', 'the length of the context in every model record')
    .on((exchange) => recordsIn(exchange).some((record) => judged(record).length > 0))
    .verify((exchange) => wrongForm(recordsIn(exchange))),
]
