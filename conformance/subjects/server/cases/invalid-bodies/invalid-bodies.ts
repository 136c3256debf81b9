// Bodies that break exactly one constraint of the document, found and shrunk by properties (CHAT-4 to 6, WIRE-10,
// WIRE-11), and the same with `stream: true` (STREAM-13): they are refused as they are without it. If the plain body is
// accepted, another row is at fault. Only what a row demands is broken: a constraint that the document alone states says
// nothing about another service.
import fc from 'fast-check'
import { type MutatedRequest, type Place, mutatedRequest } from '../../../../generate/requests.ts'
import { type Case, type CaseContext, type Variants, check, checkEach } from '../../case.ts'
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { property } from '../../../../generate/property.ts'
import { type Verifier, refused } from '../../../../../harness/verify/verify.ts'
import { post, postRaw, validBody, noted } from '../requests/chat.ts'
import { INCOMPLETE_REFUSAL, incomplete } from '../chat/refusals.ts'
import { type Mutation, capabilitiesOf, chatMutations, rangeMutations, ruleMutations } from './mutations.ts'
import { openApiDocument } from '../../../../generate/document.ts'

/** Sends a body streamed, and also plain if the refusal is wrong: if the plain refusal is wrong too, both are alike. */
export async function judgedAlike(
  t: CaseContext,
  send: (streamed: boolean) => Promise<Exchange>,
  due: Verifier,
): Promise<void> {
  const streamed = await send(true)
  const alike = due(streamed, t.target) === undefined || due(await send(false), t.target) !== undefined
  t.expect(streamed, (exchange, target) => (alike ? undefined : due(exchange, target)))
}

const groups: Variants<[mutations: readonly Mutation[]]> = {
  chat: ['a wrong type, value or missing member', chatMutations],
  ranges: ['a value out of its range', rangeMutations],
  // With `stream: true` there is nothing wrong with `stream_options`.
  rules: [
    'a broken rule between fields',
    ruleMutations.filter(({ fields }) => !fields?.includes('stream_options')),
  ],
}

/** Those of the mutations that this target can be judged by, and that leave `stream` alone. */
async function applicable(t: CaseContext, mutations: readonly Mutation[]): Promise<readonly Mutation[]> {
  const offered: Mutation[] = []
  for (const candidate of mutations) {
    const supported = await Promise.all(capabilitiesOf(candidate).map((field) => t.target.supports(field)))
    if (supported.every(Boolean) && !candidate.fields?.includes('stream')) offered.push(candidate)
  }
  return offered
}

function withStream({ body }: MutatedRequest): unknown {
  return typeof body === 'object' && body !== null && !Array.isArray(body) ? { ...body, stream: true } : body
}

export const streamedCases: readonly Case[] = [
  ...checkEach('invalid-bodies.streamed-*', 'STREAM-13', '*, with `stream: true`', groups).run(
    async (t, mutations) => {
      const judged = await applicable(t, mutations)
      await property(t, mutatedBodies(t, judged), async (value) => {
        const refusal = judged.find(({ accept }) => accept(placeOf(value)))?.refusal
        const send = (streamed: boolean) => post(t, streamed ? withStream(value) : value.body)
        await judgedAlike(t, send, refusedFor(value, refusal))
      })
    },
  ),
  check(
    'invalid-bodies.streamed-missing',
    'STREAM-13',
    'each required member missing in turn, with `stream: true`',
  ).run(async (t) => {
    for (const [, members] of Object.values(incomplete)) {
      const send = (stream: boolean) =>
        post(t, { ...validBody(t), ...members, ...(stream ? { stream } : {}) })
      await judgedAlike(t, send, refused(400, INCOMPLETE_REFUSAL))
    }
  }),
  check('invalid-bodies.streamed-truncated', 'STREAM-13', 'JSON that is cut short, with `stream: true`').run(
    async (t) => {
      const [streamed, plain] = [true, false].map((stream) => JSON.stringify({ stream, ...validBody(t) }))
      const lengths = fc.integer({ min: 16, max: (streamed?.length ?? 0) - 1 })
      await property(t, lengths, async (length) => {
        const send = (isStreamed: boolean) =>
          postRaw(t, (isStreamed ? streamed : plain)?.slice(0, length) ?? '')
        await judgedAlike(t, send, refused(400))
      })
    },
  ),
]

export const cases: readonly Case[] = [
  ...[...chatMutations, ...rangeMutations, ...ruleMutations].map(mutationCase),
  ...streamedCases,
]

/** Examples for one field: there are many fields, and the edges of each are judged one by one. */
const SHARE_OF_RUNS = 10

/** Forms of messages, parts and tools that a target may lack, and that mutated requests therefore do not contain. */
export const OPTIONAL_FORMS = `DeveloperMessage FunctionMessage RefusalPart ImagePart AudioPart FilePart
  CustomTool CustomToolCall CustomToolChoice AllowedToolsChoice`.split(/\s+/)

const madeBefore = new Map<string, fc.Arbitrary<MutatedRequest>>()

/** Requests to the target's model that are broken in one of these ways, and in nothing else. */
export function mutatedBodies(t: CaseContext, mutations: readonly Mutation[]): fc.Arbitrary<MutatedRequest> {
  const { model } = t.target
  // To find every place that can be broken takes longer than to judge one: runs of one process share it.
  const key = [model, ...mutations.map(({ slug }) => slug)].join('\n')
  const bodies = madeBefore.get(key) ?? mutatedRequests(model, mutations)
  madeBefore.set(key, bodies)
  return bodies
}

function mutatedRequests(model: string, mutations: readonly Mutation[]): fc.Arbitrary<MutatedRequest> {
  return mutatedRequest(openApiDocument(), {
    model,
    fields: [...new Set(mutations.flatMap(({ fields = [] }) => fields))],
    without: OPTIONAL_FORMS,
    accept: (place) => mutations.some(({ accept }) => accept(place)),
  }).filter((broken) =>
    mutations.every(({ accept, judged }) => !accept(placeOf(broken)) || (judged?.(broken) ?? true)),
  )
}

export function placeOf({ at, kind, constraint }: MutatedRequest): Place {
  return { at: at.replaceAll(/\[\d+\]/g, '[]'), kind, constraint }
}

export function refusedFor({ at, kind }: MutatedRequest, refusal: Mutation['refusal']): Verifier {
  return noted(refused(400, refusal), `${kind} of ${at === '' ? 'the body' : at}`)
}

export function mutationCase(broken: Mutation): Case {
  const { slug, requirement, title, refusal, thorough = false } = broken
  return check(`invalid-bodies.${slug}`, requirement, title).run(async (t) => {
    for (const field of capabilitiesOf(broken)) await t.target.requireField(field)
    const runs = thorough ? t.runs : Math.ceil(t.runs / SHARE_OF_RUNS)
    const judge = async (value: MutatedRequest): Promise<void> => {
      t.expect(await post(t, value.body), refusedFor(value, refusal))
    }
    await property(t, mutatedBodies(t, [broken]), judge, { runs })
  })
}
