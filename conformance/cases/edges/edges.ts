// The edges of every field of a request, derived from the schema: what is in range is taken, what is just out of it or
// of another type is refused, in the first element and in a later one, plain and streamed (CHAT-5, CHAT-6, WIRE-10,
// STREAM-13).
import { type Exchange, json } from '../../../harness/http/exchange.ts'
import { type Verifier, refused } from '../../../harness/verify/verify.ts'
import { at, show } from '../../../harness/verify/json-value.ts'
import { openApiDocument } from '../../generate/document.ts'
import { type EdgeRequest, edgeRequests, edgeText } from '../../generate/edge-requests.ts'
import type { EdgeKind, SchemaEdge } from '../../generate/schema-edges.ts'
import { type Case, type CaseContext, defineCase } from '../../runner/case.ts'
import { OPTIONAL_FORMS } from '../invalid-bodies/mutated-bodies.ts'
import { judgedAlike } from '../invalid-bodies/streamed.ts'
import { withNeeded } from '../invalid-bodies/mutations.ts'
import { isSuccess, plainAnswer, postRaw, succeeded } from '../requests/chat.ts'
import { type Judgement, judgementOf } from './judged-edges.ts'

/** The edges of one kind at one place, whatever form of a message or value it stands in. */
interface EdgeGroup {
  readonly at: string
  readonly field: string
  readonly kind: EdgeKind
  readonly accepted: boolean
  readonly edges: readonly SchemaEdge[]
  readonly judgement: Judgement
}

const derived = edgeRequests(openApiDocument(), OPTIONAL_FORMS)

const groups: readonly EdgeGroup[] = [
  ...Map.groupBy(
    derived.edges.filter((edge) => judgementOf(edge) !== undefined),
    ({ at, kind }) => `${at} ${kind}`,
  ).values(),
].flatMap((edges): readonly EdgeGroup[] => {
  const [first] = edges
  const judgement = first && judgementOf(first)
  if (first === undefined || judgement === undefined) return []
  const { at, kind, accepted } = first
  return [{ at, field: at.split(/[.[]/)[0] ?? '', kind, accepted, edges, judgement }]
})

/** The requests of a group to the target's model, in the order of the schema. */
function requestsOf({ edges, judgement }: EdgeGroup, model: string): readonly EdgeRequest[] {
  const { judges = () => true } = judgement
  return edges.flatMap((edge) => derived.requests(edge, model)).filter(judges)
}

/** What every request has: those fields are no capabilities. */
const ALWAYS: ReadonlySet<string> = new Set(['model', 'messages', 'stream'])

/** The first of the field and what it cannot stand without that the target refuses by name, if any. */
async function refusedField(t: CaseContext, { field }: EdgeGroup): Promise<string | undefined> {
  if (ALWAYS.has(field)) return undefined
  for (const needed of withNeeded(field))
    if (!ALWAYS.has(needed) && !(await t.target.supports(needed))) return needed
  return undefined
}

/** Ends the case where one is. */
async function requireOffered(t: CaseContext, group: EdgeGroup): Promise<void> {
  const refused = await refusedField(t, group)
  if (refused !== undefined) t.notApplicable(`the target refuses ${refused} by name`)
}

/** The same for a range: it is offered where any value of it is taken, not just the one that is mostly asked for. */
async function requireRange(t: CaseContext, group: EdgeGroup): Promise<void> {
  const { field, at } = group
  const inside = groups.find((other) => other.at === at && other.kind === 'inside')
  if (field !== at || inside === undefined || (await t.target.supports(field)))
    return requireOffered(t, group)
  for (const { value } of requestsOf(inside, t.target.model))
    if (await t.target.supports(field, { [field]: value })) return
  t.notApplicable(`the target refuses ${field} by name`)
}

/** Sends a request as it is, plain or streamed, with what keeps its answer short. */
async function sendEdge(t: CaseContext, request: EdgeRequest, streamed = false): Promise<Exchange> {
  const bound = /max_(completion_)?tokens/.test(request.at) ? {} : await t.target.brief(1)
  const body = { ...bound, ...request.body, ...(streamed ? { stream: true } : {}) }
  return postRaw(t, edgeText({ ...request, body }))
}

/** The refusal that is due, and where the request is at an edge. */
function refusedAt({ at, value }: EdgeRequest): Verifier {
  const due = refused(400)
  return (exchange, target) => {
    const mismatch = due(exchange, target)
    return mismatch && { ...mismatch, expected: `${mismatch.expected} (${at}: ${show(value)})` }
  }
}

function takenAt({ at, value }: EdgeRequest): Verifier {
  return (exchange, target) => {
    const mismatch = succeeded(exchange, target)
    return mismatch && { ...mismatch, expected: `${mismatch.expected} (${at}: ${show(value)} is in range)` }
  }
}

/** A refusal of the length of the prompt, which is not one of the number of its parts. */
function isTooLongForModel(exchange: Exchange): boolean {
  const error = at(json(exchange), 'error')
  const told = `${String(at(error, 'code'))} ${String(at(error, 'message'))}`
  return (
    exchange.response.status === 400 &&
    /context.?(length|window|size)|context of|prompt is too long/i.test(told)
  )
}

async function judgeTaken(t: CaseContext, group: EdgeGroup): Promise<void> {
  await requireRange(t, group)
  for (const request of requestsOf(group, t.target.model))
    for (const streamed of [false, true]) {
      const exchange = await sendEdge(t, request, streamed)
      if (!isSuccess(exchange)) await plainAnswer(t)
      if (group.kind === 'most' && isTooLongForModel(exchange))
        t.notApplicable('so many do not fit the context of the model')
      t.expect(exchange, takenAt(request))
    }
}

/** A refusal is due whether the field is offered or not; where it is not, one shows nothing of the edge. */
async function judgeRefused(t: CaseContext, group: EdgeGroup): Promise<void> {
  for (const request of requestsOf(group, t.target.model))
    t.expect(await sendEdge(t, request), refusedAt(request))
  await requireOffered(t, group)
}

/** What is tried, in words. */
const titles: Readonly<Record<EdgeKind, string>> = {
  lower: 'at its lower bound',
  upper: 'at its upper bound',
  inside: 'just within its bounds',
  below: 'just below its range',
  above: 'just above its range',
  fraction: 'a fraction',
  whole: 'a whole number written as 1.0',
  unknown: 'a value that is almost one of the format',
  longest: 'of the greatest length',
  'too-long': 'one character too long',
  characters: 'every character of a name',
  'bad-characters': 'characters that a name has not',
  most: 'as many as there may be',
  'too-few': 'none',
  'too-many': 'one more than there may be',
  type: 'each other JSON type, and the right value as a text',
}

function slugOf(at: string): string {
  return at.replaceAll('[]', '-item').replaceAll('.*', '-member').replaceAll(/[._]/g, '-')
}

/** With `stream: true` there is nothing wrong with `stream_options`, and `stream` itself cannot be another value. */
const streamable = groups.filter(({ field, accepted }) => !accepted && !field.startsWith('stream'))

const streamedCases: readonly Case[] = [...Map.groupBy(streamable, ({ field }) => field)].map(
  ([field, own]) =>
    defineCase(
      `stream.edge.${slugOf(field)}`,
      'STREAM-13',
      `\`${field}\` beyond its edges, with \`stream: true\``,
      async (t) => {
        for (const request of own.flatMap((group) => requestsOf(group, t.target.model)))
          await judgedAlike(t, (streamed) => sendEdge(t, request, streamed), refusedAt(request))
        for (const group of own) await requireOffered(t, group)
      },
    ),
)

export const cases: readonly Case[] = [
  ...groups.map((group) =>
    defineCase(
      `wire.edge.${slugOf(group.at)}.${group.kind}`,
      group.judgement.requirement,
      `\`${group.at}\`: ${titles[group.kind]}`,
      (t) => (group.accepted ? judgeTaken(t, group) : judgeRefused(t, group)),
    ),
  ),
  ...streamedCases,
]
