// A model that a key may not use: the same 404 as for an unknown one, with nothing to tell the two apart (MODEL-3).
import { type Case, type CaseContext, defineCase } from '../../runner/case.ts'
import { listedModels } from '../../target/discover-target.ts'
import type { RequestSpec } from '../../../harness/http/probe.ts'
import type { Exchange } from '../../../harness/http/exchange.ts'
import { status } from '../../../harness/verify/verify.ts'
import { show } from '../../../harness/verify/json-value.ts'
import { chatRequest, modelList, modelPath } from '../requests/endpoints.ts'
import { difference } from './indistinguishable.ts'
import { fakeText } from '../requests/fake.ts'

/** A name that nobody has, of the same length and kind as `model`, and like it at its beginning. */
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

interface Restricted {
  readonly key: string
  readonly model: string
  /** Another name, of no model. */
  readonly unknown: string
}

/** What MODEL-3 needs: a key that works, and a model that exists and that this key may not use. */
async function requireRestricted(t: CaseContext): Promise<Restricted> {
  const { key, model } = await t.target.restricted()
  const authorization = `Bearer ${key}`
  const own = await t.send({ ...modelList.request(t), authorization })
  if (own.response.status !== 200)
    t.inconclusive(`the restricted key is answered with ${own.response.status} by GET /v1/models`)
  const listed = await t.target.models()
  if (!listed.includes(model) && (await t.send(chatRequest(model))).response.status !== 200)
    t.inconclusive(`${show(model)} is no model of the main key: whether it exists is not known`)
  const unknown = lookalike(model, t.seed)
  if (unknown === model || listed.includes(unknown) || listedModels(own).includes(unknown))
    t.inconclusive(`no unknown name that is like ${show(model)} was found`)
  return { key, model, unknown }
}

/** What is asked for a model by its name, and whether a service may do without it. */
const questions: Readonly<
  Record<string, readonly [title: string, request: (model: string) => RequestSpec, optional?: 'optional']>
> = {
  restricted: ['a chat request', chatRequest],
  'restricted-stream': ['a streamed chat request', (model) => chatRequest(model, { stream: true })],
  'restricted-bad-value': [
    'a chat request with a bad value',
    (model) => chatRequest(model, { temperature: 99 }),
  ],
  'restricted-record': ['the record', (model) => ({ path: modelPath(model) }), 'optional'],
}

export const restrictedModelCases: readonly Case[] = Object.entries(questions).map(
  ([slug, [title, request, optional]]) =>
    defineCase({
      id: `models.${slug}`,
      requirement: 'MODEL-3',
      title: `${title} for a model that the key may not use, beside an unknown one`,
      async run(t) {
        const { key, model, unknown } = await requireRestricted(t)
        if (optional !== undefined && (await t.send(request(t.target.model))).response.status !== 200)
          t.notApplicable(`${title} is not offered`)
        const ask = (name: string): Promise<Exchange> =>
          t.send({ ...request(name), authorization: `Bearer ${key}` })
        const closed = await ask(model)
        const none = [await ask(unknown), await ask(unknown)] as const
        // Where an unknown model is refused with another status, that is a matter of MODEL-2.
        const { status: due } = none[0].response
        t.expect(closed, status(due >= 400 ? due : 404))
        const rename = (text: string): string =>
          text.replaceAll(unknown, model).replaceAll(encodeURIComponent(unknown), encodeURIComponent(model))
        const again = await ask(model)
        t.expect(closed, () => difference([closed, again], none, rename))
      },
    }),
)
