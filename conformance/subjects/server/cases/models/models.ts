// Models: the list (MODEL-1), unknown ones (MODEL-2), those of other keys (MODEL-3), and that an id means itself
// and nothing else (MODEL-4, MODEL-5, MODEL-7, MODEL-8).
import { type Case, type CaseContext, type Variants, check, checkEach } from '../../case.ts'
import type { Members } from '../../../../contract/capabilities.ts'
import { listedModels } from '../../../../../harness/http/find-base.ts'
import { json } from '../../../../../harness/http/exchange.ts'
import {
  bodyMember,
  type BodyPredicate,
  isString,
  jsonBody,
  refused,
  status,
  statusOk,
} from '../../../../../harness/verify/verify.ts'
import { at, listAt, show } from '../../../../../harness/json-value.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import { chatRequest, isModelList, modelList } from '../requests/endpoints.ts'
import { fakeWord, swapCase } from '../requests/failing.ts'
import { listedFor, restrictedModelCases } from './restricted.ts'

const TRIED_MODELS = 5

function eachId(expected: string, holds: (id: unknown) => boolean): BodyPredicate {
  return (body) => {
    for (const [index, entry] of listAt(body, 'data').entries()) {
      const id = at(entry, 'id')
      if (!holds(id)) return { expected: `data[${index}].id, ${expected}`, actual: show(id) }
    }
    return undefined
  }
}

const listOfIds = jsonBody(bodyMember('data', 'an array', Array.isArray), eachId('a string', isString))

const list: readonly Case[] = [
  check('models.list', 'MODEL-1', 'GET /v1/models').run(async (t) => {
    const exchange = await t.send(modelList.request(t))
    t.expect(exchange, statusOk, listOfIds)
  }),
  check('models.list-holds-the-model-in-use', 'MODEL-1', 'the list holds the model that is judged').run(
    async (t) => {
      const { model } = t.target
      const exchange = await t.send(modelList.request(t))
      t.expect(exchange, statusOk)
      if (listedModels(exchange).includes(model)) return
      const { status: code } = (await t.send(chatRequest(model))).response
      if (code !== 200) t.inconclusive(`${show(model)} is answered with ${code}: it is not a valid model`)
      t.expect(exchange, () => ({
        expected: `${show(model)} in the list, since the chat endpoint accepts it`,
        actual: show(listedModels(exchange)),
      }))
    },
  ),
  check('models.ids-not-empty', 'MODEL-5', 'no listed id is empty').run(async (t) => {
    const exchange = await t.send(modelList.request(t))
    if (listAt(json(exchange), 'data').length === 0) t.notApplicable('no model is listed')
    t.expect(exchange, jsonBody(eachId('not an empty string', (id) => id !== '')))
  }),
]

/** Plain and streamed requests. */
const ways: Variants<[members: Members]> = {
  '': ['', {}],
  '-streamed': [', with `stream: true`', { stream: true }],
}

const unknown: readonly Case[] = [
  ...checkEach('models.unknown*', 'MODEL-2', 'an unknown model*', ways).run((t, members) =>
    expectUnknown(t, `svc-0.1-${fakeWord(t.seed, 'unknown model')}`, members),
  ),
  // A table of models that is a plain object knows this one.
  check('models.unknown-property-name', 'MODEL-2', "the name of every object's property").run((t) =>
    expectUnknown(t, 'constructor'),
  ),
]

/** An unknown model is never answered by another (MODEL-8), plain and streamed. */
const neverAnother = checkEach('models.never-another*', 'MODEL-8', 'an unknown model is refused*', ways).run(
  async (t, members) =>
    t.expect(await t.send(chatRequest(fakeWord(t.seed, 'unknown model'), members)), status(404, 400)),
)

async function expectUnknown(t: CaseContext, model: string, members = {}): Promise<void> {
  t.expect(
    await t.send(chatRequest(model, members)),
    refused(404, { type: 'model_not_found' }),
    jsonBody(bodyMember('error.code', 'a string', isString)),
  )
}

/** Which status of success it is, CHAT-7 judges. */
const accepted = status(200, 201, 202)

const listed: readonly Case[] = [
  ...Array.from({ length: TRIED_MODELS }, (_, index) =>
    check(`models.listed-${index + 1}`, 'MODEL-4', `a chat request to listed model ${index + 1}`).run(
      async (t) => {
        const ids = await t.target.models()
        const id = ids[index] ?? t.notApplicable(`${ids.length} models are listed`)
        t.expect(await t.send(chatRequest(id)), accepted)
      },
    ),
  ),
  check(
    'models.listed-for-a-restricted-key',
    'MODEL-4',
    'what is listed for a restricted key is open to it',
  ).run(async (t) => {
    const { key, model } = await t.target.restricted()
    const ids = await listedFor(t, key)
    // If the model that the key may not use is listed, it is the one to try.
    const [first = t.notApplicable('no model is listed for the restricted key')] = ids
    const id = ids.includes(model) ? model : first
    t.expect(await t.send({ ...chatRequest(id), authorization: `Bearer ${key}` }), accepted)
  }),
]

type Changes = Variants<[change: (id: string) => string]>

/** A valid id with something added to it (MODEL-5). */
const additions: Changes = {
  suffix: ['a suffix', (id) => `${id}-x`],
  'one-letter-more': ['one letter more', (id) => `${id}x`],
  prefix: ['a letter before it', (id) => `x${id}`],
}

/** An id that a careless comparison takes for a valid one (MODEL-7). */
const nearMisses: Changes = {
  'other-case': ['all letters in the other case', swapCase],
  'one-capital': ['one letter in the other case', (id) => id.replace(/[a-z]/i, swapCase)],
  'one-letter-less': ['one letter less', (id) => id.slice(0, -1)],
  'space-before': ['a space before it', (id) => ` ${id}`],
  'space-behind': ['a space behind it', (id) => `${id} `],
  'line-end-behind': ['a line end behind it', (id) => `${id}\n`],
}

function changed(requirement: 'MODEL-5' | 'MODEL-7', changes: Changes, ...statuses: number[]) {
  return checkEach('models.id-*', requirement, 'the id of a model with *', changes).run(async (t, change) => {
    const { model } = t.target
    const id = change(model)
    if (id === model || id === '') t.notApplicable('this change leaves no other id')
    if ((await t.target.models()).includes(id)) t.notApplicable(`${show(id)} is listed too`)
    t.expect(await t.send(chatRequest(id)), refused(statuses))
  })
}

const exact: readonly Case[] = [
  ...changed('MODEL-5', additions, 404),
  // MODEL-2 judges the status of an unknown model.
  ...changed('MODEL-7', nearMisses, 404, 400),
  check('models.id-empty', 'MODEL-5', 'an empty id').run(async (t) =>
    t.expect(await t.send(chatRequest('')), refused([404, 400])),
  ),
]

export const cases: readonly Case[] = [
  ...list,
  ...unknown,
  ...neverAnother,
  ...restrictedModelCases,
  ...listed,
  ...exact,
]

export const observers: readonly Observer[] = [
  observe('models.every-list', 'MODEL-1', 'the ids of every list of models')
    .on(isModelList)
    .verify(listOfIds),
]
