// A model that a key may not use: a 404 (MODEL-3) that does not differ from that for an unknown model (MODEL-6).
import { type Case, type CaseContext, check } from '../../case.ts'
import { listedModels } from '../../../../../harness/http/find-base.ts'
import type { RequestSpec } from '../../../../../harness/http/probe.ts'
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { refused } from '../../../../../harness/verify/verify.ts'
import { show, isRecord } from '../../../../../harness/json-value.ts'
import { chatRequest, modelList, modelPath } from '../requests/endpoints.ts'
import { fakeText } from '../requests/failing.ts'

/** An unknown name of the same length and kind as `model` and with the same beginning. */
function lookalike(model: string, seed: number): string {
  const random = Buffer.from(fakeText(seed, `like ${model}`))
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  return [...model]
    .map((character, index) => {
      const byte = random[index % random.length] ?? 0
      if (index < model.length / 2) return character
      if (/[a-z]/.test(character)) return letters.charAt(byte % 26)
      if (/[A-Z]/.test(character)) return letters.charAt(byte % 26).toUpperCase()
      return /\d/.test(character) ? String(byte % 10) : character
    })
    .join('')
}

/** The ids that are listed for the restricted key. */
export async function listedFor(t: CaseContext, key: string): Promise<readonly string[]> {
  const own = await t.send({ ...modelList.request(t), authorization: `Bearer ${key}` })
  if (own.response.status !== 200)
    t.inconclusive(`the restricted key is answered with ${own.response.status} by GET /v1/models`)
  return listedModels(own)
}

/** Returns a valid key, an existing model that this key may not use, and another name, of no model. */
async function requireRestricted(t: CaseContext) {
  const { key, model } = await t.target.restricted()
  const own = await listedFor(t, key)
  const listed = await t.target.models()
  if (!listed.includes(model) && (await t.send(chatRequest(model))).response.status !== 200)
    t.inconclusive(`${show(model)} is not a model of the main key, so it may not exist`)
  const unknown = lookalike(model, t.seed)
  if (unknown === model || listed.includes(unknown) || own.includes(unknown))
    t.inconclusive(`no unknown name that is like ${show(model)} was found`)
  return { key, model, unknown }
}

interface Question {
  readonly title: string
  readonly request: (model: string) => RequestSpec
  /** A service may do without it. */
  readonly optional?: boolean
  /** Something else is wrong with the request too: which of the two is refused first is open. */
  readonly alsoBad?: true
}

const questions: Readonly<Record<string, Question>> = {
  restricted: { title: 'a chat request', request: chatRequest },
  'restricted-stream': {
    title: 'a streamed chat request',
    request: (model) => chatRequest(model, { stream: true }),
  },
  'restricted-bad-value': {
    title: 'a chat request with a bad value',
    request: (model) => chatRequest(model, { temperature: 99 }),
    alsoBad: true,
  },
  'restricted-record': {
    title: 'the record',
    request: (model) => ({ path: modelPath(model) }),
    optional: true,
  },
}

/** Asks about the model that the key may not use, and about the unknown one, with that key. */
async function askRestricted(t: CaseContext, { title, request, optional = false }: Question) {
  const restricted = await requireRestricted(t)
  if (optional && (await t.send(request(t.target.model))).response.status !== 200)
    t.notApplicable(`${title} is not offered`)
  const authorization = `Bearer ${restricted.key}`
  return { ...restricted, ask: (name: string) => t.send({ ...request(name), authorization }) }
}

export const restrictedModelCases: readonly Case[] = Object.entries(questions).flatMap(([slug, question]) => [
  check(`models.${slug}`, 'MODEL-3', `${question.title} for a model that the key may not use`).run(
    async (t) => {
      const { ask, model } = await askRestricted(t, question)
      const closed = await ask(model)
      if (question.alsoBad === true && closed.response.status === 400) t.expect(closed, refused(400))
      else t.expect(closed, refused(404, { type: 'model_not_found' }))
    },
  ),
  check(
    `models.${slug}-not-told-apart`,
    'MODEL-6',
    `${question.title} for a model that the key may not use, beside an unknown one`,
  ).run(async (t) => {
    const { ask, model, unknown } = await askRestricted(t, question)
    const closed = await ask(model)
    const none = [await ask(unknown), await ask(unknown)] as const
    const due = question.alsoBad === true ? [404, 400] : [404]
    if (![closed, none[0]].every(({ response }) => due.includes(response.status)))
      t.notApplicable('one of the two is not a 404, which MODEL-2 and MODEL-3 judge')
    const rename = (text: string): string =>
      text.replaceAll(unknown, model).replaceAll(encodeURIComponent(unknown), encodeURIComponent(model))
    const again = await ask(model)
    t.expect(closed, () => difference([closed, again], none, rename))
  }),
])

/** Names of headers with an id of the request, which the body may contain too. */
const REQUEST_ID_HEADER = /request-id|trace/i

/** Numbers and ids in a text, which may differ from one answer to the next. */
const NUMBER_OR_ID = /[\dA-F-]*\d[\dA-F-]*/gi

/** Two answers to the same request. */
type Pair = readonly [Exchange, Exchange]

/**
 * Compares two answers of one kind with two of another. A value that differs within a kind, such as an id or a time,
 * does not distinguish the kinds; the status and every other member of the body do. Send the requests in the order
 * first, second, second, first, so that a counter does not look like a difference. `rename` makes the names in the
 * answers equal.
 */
function difference(first: Pair, second: Pair, rename: (text: string) => string) {
  const all = [...first, ...second].map((exchange) => facets(exchange, rename))
  for (const name of new Set(all.flatMap((facet) => [...facet.keys()]))) {
    const values = all.map((facet) => facet.get(name))
    const masked = values.map((value) => value?.replace(NUMBER_OR_ID, '#'))
    if (differs(values) || differs(masked))
      return { expected: `${name} ${show(values[2])}, as for the other`, actual: show(values[0]) }
  }
  return undefined
}

/** Both kinds repeat themselves, each in its own way. */
function differs([firstA, firstB, secondA, secondB]: readonly (string | undefined)[]): boolean {
  return firstA === firstB && secondA === secondB && firstA !== secondA
}

/** The visible parts of an answer by name. */
function facets(exchange: Exchange, rename: (text: string) => string): Map<string, string> {
  const { response } = exchange
  const found = new Map([['status', String(response.status)]])
  const ids = response.headers.filter(([name, id]) => REQUEST_ID_HEADER.test(name) && id.length >= 8)
  const clean = (value: string): string =>
    rename(ids.reduce((rest, [, id]) => rest.replaceAll(id, '#'), value))
  for (const [path, value] of leaves(json(exchange))) found.set(`body${path}`, clean(value))
  return found
}

/** Every member that is not an object or array, by path. */
function leaves(value: unknown, path = ''): (readonly [path: string, value: string])[] {
  if (Array.isArray(value)) return value.flatMap((item, at) => leaves(item, `${path}[${at}]`))
  if (isRecord(value)) return Object.entries(value).flatMap(([name, item]) => leaves(item, `${path}.${name}`))
  return [[path, JSON.stringify(value) ?? 'undefined']]
}
