// Model records as the wire format has them: in the list (WIRE-15) and alone (WIRE-16).
import { isDeepStrictEqual } from 'node:util'
import { type Case, type CaseContext, type Variants, check, checkEach } from '../../case.ts'
import { json } from '../../../../../harness/http/exchange.ts'
import {
  bodyMember,
  type BodyPredicate,
  isString,
  jsonBody,
  refused,
  statusOk,
} from '../../../../../harness/verify/verify.ts'
import { at, isRecord, listAt, show } from '../../../../../harness/json-value.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import { MODELS_PATH, isModelList, modelList, modelPath } from '../requests/endpoints.ts'
import { fakeWord } from '../requests/failing.ts'

/** The members of a record beside its id. */
const members: readonly { name: string; expected: string; holds: (value: unknown) => boolean }[] = [
  { name: 'object', expected: '"model"', holds: (value) => value === 'model' },
  { name: 'created', expected: 'whole seconds', holds: Number.isInteger },
  { name: 'owned_by', expected: 'a string', holds: isString },
]

async function listedRecords(t: CaseContext): Promise<readonly unknown[]> {
  const data = listAt(json(await t.send(modelList.request(t))), 'data')
  if (data.length === 0) t.notApplicable('no model is listed')
  return data
}

const isCalledList = bodyMember('object', '"list"', (value) => value === 'list')

/** A member of each listed record. */
const eachRecord =
  ({ name, expected, holds }: (typeof members)[number]): BodyPredicate =>
  (body) => {
    const data = at(body, 'data')
    if (!Array.isArray(data)) return { expected: 'data, an array', actual: show(data) }
    return data.map(bodyMember(name, expected, holds)).find((mismatch) => mismatch !== undefined)
  }

const inList: readonly Case[] = [
  check('models.list-object', 'WIRE-15', 'the list is called `list`').run(async (t) => {
    const exchange = await t.send(modelList.request(t))
    t.expect(exchange, statusOk, jsonBody(isCalledList))
  }),
  ...members.map((member) =>
    check(
      `models.record-in-list-${member.name.replace('_', '-')}`,
      'WIRE-15',
      `\`${member.name}\` of each listed record`,
    ).run(async (t) => t.expect(await t.send(modelList.request(t)), statusOk, jsonBody(eachRecord(member)))),
  ),
]

export const observers: readonly Observer[] = [
  observe('models.every-record-in-list', 'WIRE-15', 'the records of every list of models')
    .on(isModelList)
    .verify(jsonBody(isCalledList, ...members.map(eachRecord))),
]

/** Percent-encodes one more character of an id than is needed: by RFC 3986, 6.2.2.2, the same id. */
function encodedFurther(id: string): string {
  const needed = encodeURIComponent(id)
  if (needed !== id) return needed
  const at = Math.max(id.search(/[-._~]/), 0)
  const code = id.charCodeAt(at).toString(16).toUpperCase()
  return `${id.slice(0, at)}%${code}${id.slice(at + 1)}`
}

/** The forms of the path of a record. */
const paths: Variants<[path: (id: string) => string]> = {
  '': ['', modelPath],
  '-percent-encoded': [', its id percent-encoded', (id) => `${MODELS_PATH}/${encodedFurther(id)}`],
}

const alone = checkEach('models.record*', 'WIRE-16', 'the record of a model*', paths).run(async (t, path) => {
  const records = await listedRecords(t)
  // An id that must be encoded, such as `org/name`, is the one to try.
  const ids = records.map((record) => at(record, 'id')).filter((id) => typeof id === 'string')
  const [first = t.notApplicable('no listed record has an id')] = ids
  const id = ids.find((candidate) => candidate !== encodeURIComponent(candidate)) ?? first
  const ofId = (record: unknown): boolean => at(record, 'id') === id
  const listed = records.find(ofId)
  const exchange = await t.send({ path: path(id) })
  if (isDeepStrictEqual(json(exchange), listed)) return t.expect(exchange, statusOk)
  const again = (await listedRecords(t)).find(ofId)
  t.expect(exchange, statusOk, jsonBody(sameRecord(listed, again)))
})

/**
 * The record is the one of the list. A member that another list gives differently is not compared, since some services set
 * the time of creation on each request; WIRE-15 judges the members of a list.
 */
function sameRecord(listed: unknown, again: unknown): BodyPredicate {
  return (body) => {
    if (!isRecord(body)) return { expected: 'a model record', actual: show(body) }
    const names = isRecord(listed) ? Object.keys(listed) : []
    const differing = names.find((name) => {
      const [due, value] = [at(listed, name), body[name]]
      // The format defines four members: a list may have more than a record.
      if (value === undefined && !RECORD_MEMBERS.has(name)) return false
      if (!isOfSameKind(value, due)) return true
      return isDeepStrictEqual(due, at(again, name)) && !isDeepStrictEqual(value, due)
    })
    if (differing === undefined) return undefined
    return {
      expected: `${differing} ${show(at(listed, differing))}, as in the list`,
      actual: show(body[differing]),
    }
  }
}

const RECORD_MEMBERS: ReadonlySet<string> = new Set(['id', 'object', 'created', 'owned_by'])

function isOfSameKind(value: unknown, due: unknown): boolean {
  return typeof value === typeof due && Number.isInteger(value) === Number.isInteger(due)
}

const unknownRecord = check('models.record-unknown', 'WIRE-16', 'the record of an unknown model').run(
  async (t) => {
    const path = modelPath(fakeWord(t.seed, 'unknown model'))
    t.expect(await t.send({ path }), refused(404))
  },
)

export const cases: readonly Case[] = [...inList, ...alone, unknownRecord]
