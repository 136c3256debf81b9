// The edges of every field of a request: a service accepts values in range and refuses values
// just out of range or of another type, in the first element and in a later one, plain and streamed (CHAT-5, CHAT-6,
// WIRE-10, STREAM-13).
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { choicesOf } from '../../../../../harness/verify/verify-completion.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { at, isRecord, show } from '../../../../../harness/json-value.ts'
import { type MutatedRequest, bodyText } from '../../../../generate/chat-requests.ts'
import { type Case, type CaseContext, check } from '../../case.ts'
import { namesField, smallestMembers } from '../../../../contract/capabilities.ts'
import { requestStream, requireOrdinary } from '../streaming/streamed-answers.ts'
import {
  PROMPT,
  isSuccess,
  isTooLongForModel,
  messagesOf,
  noted,
  postRaw,
  succeeded,
} from '../requests/chat-calls.ts'
import { LOOK_UP } from '../tools/tool-requests.ts'
import { type EdgeGroup, fewerOf, groups, requestsOf, titles } from './edge-groups.ts'
import { withNeeded } from './judged-places.ts'
import { judgedAlike, refusedAt } from './random-bodies.ts'

/** Fields that are not capabilities: every request may have them. */
const ALWAYS: ReadonlySet<string> = new Set(['model', 'messages', 'stream'])

/** Fields whose values change nothing that can be seen: WIRE-30 judges them in profile `wire`. */
const UNSEEN: ReadonlySet<string> = new Set(['audio', 'prediction', 'web_search_options', 'moderation'])

/** Ends the case if another row judges the field in this profile, once for all of its values. */
function requireJudgedHere(t: CaseContext, { field }: EdgeGroup): void {
  if (t.target.profile === 'wire' && UNSEEN.has(field)) t.notApplicable('WIRE-30 judges it in profile wire')
}

/** Fields whose effect WIRE-12 judges; if they are ignored, so are their wrong values. */
const FUNCTIONS: ReadonlySet<string> = new Set(['functions', 'function_call'])

/** Ends the case if the target ignores functions: a call that is required does not come. */
async function requireRead(t: CaseContext, { field }: EdgeGroup): Promise<void> {
  if (!FUNCTIONS.has(field)) return
  const required = { functions: [LOOK_UP.function], function_call: { name: LOOK_UP.function.name } }
  const exchange = await t.chat({ messages: messagesOf(PROMPT), ...required })
  const [choice] = choicesOf(json(exchange))
  if (isSuccess(exchange) && at(choice, 'message', 'function_call') == null)
    t.notApplicable('the target ignores functions, which WIRE-12 judges')
}

/** Returns the field, or a field that it needs, if the target refuses it by name. */
async function refusedField(t: CaseContext, { field }: EdgeGroup): Promise<string | undefined> {
  if (ALWAYS.has(field)) return undefined
  for (const needed of withNeeded(field))
    if (!ALWAYS.has(needed) && !(await t.target.supports(needed))) return needed
  return undefined
}

/** Ends the case if the target refuses the field, or a field that it needs, by name. */
async function requireOffered(t: CaseContext, group: EdgeGroup): Promise<void> {
  const refused = await refusedField(t, group)
  if (refused !== undefined) t.notApplicable(`the target refuses ${refused} by name`)
}

/** Ends the case if the target refuses every value of a range: it offers the range if it accepts any of them. */
async function requireRange(t: CaseContext, group: EdgeGroup): Promise<void> {
  const { field, at } = group
  const inside = groups.find((other) => other.at === at && other.kind === 'inside')
  if (field !== at || inside === undefined || (await t.target.supports(field)))
    return requireOffered(t, group)
  for (const { value } of requestsOf(inside, t.target.model))
    if (await t.target.supports(field, { [field]: value })) return
  t.notApplicable(`the target refuses ${field} by name`)
}

/** Adds a schema to a format that has none: some services demand one, and would refuse any name for that. */
function withSchema(body: object): object {
  const format = at(body, 'response_format')
  const described = at(format, 'json_schema')
  if (!isRecord(format) || !isRecord(described) || Object.hasOwn(described, 'schema')) return body
  const schema = { type: 'object', properties: {}, required: [], additionalProperties: false }
  return { ...body, response_format: { ...format, json_schema: { ...described, schema } } }
}

/** Describes functions that are not described, for the same reason; `chat.bare-tool` judges that a name is enough. */
function withDescribedTools(body: object): object {
  const tools = at(body, 'tools')
  if (!Array.isArray(tools)) return body
  const { description, parameters } = LOOK_UP.function
  const described = (tool: unknown): unknown => {
    const own = at(tool, 'function')
    return isRecord(tool) && isRecord(own) ? { ...tool, function: { description, parameters, ...own } } : tool
  }
  return { ...body, tools: tools.map(described) }
}

async function sendEdge(t: CaseContext, request: MutatedRequest, streamed = false): Promise<Exchange> {
  const bound = /max_(completion_)?tokens/.test(request.at) ? {} : await t.target.brief(1)
  const body = {
    ...bound,
    ...withDescribedTools(withSchema(Object(request.body))),
    ...(streamed ? { stream: true } : {}),
  }
  return postRaw(t, bodyText(body))
}

/** A success; or a refusal of 1.0 for an integer, which WIRE-10 allows. */
function takenAt(request: MutatedRequest, streamed: boolean): Verifier {
  const { at, value, place } = request
  const taken = noted(succeeded, `${at}: ${show(value)} is in range${streamed ? ', streamed' : ''}`)
  const refused = refusedAt(request)
  return (exchange, target) =>
    place.kind === 'whole' && exchange.response.status === 400
      ? refused(exchange, target)
      : taken(exchange, target)
}

/** Whether the target refuses every value of the field by name in a stream, and takes it otherwise. */
async function isRefusedInStreams(t: CaseContext, { field }: EdgeGroup): Promise<boolean> {
  const exchange = await requestStream(t, smallestMembers(field))
  return exchange.response.status === 400 && namesField(exchange, field)
}

async function judgeTaken(t: CaseContext, group: EdgeGroup): Promise<void> {
  requireJudgedHere(t, group)
  await requireRange(t, group)
  for (const request of requestsOf(group, t.target.model))
    for (const streamed of [false, true]) {
      const exchange = await sendEdge(t, request, streamed)
      if (!isSuccess(exchange)) await requireOrdinary(t, streamed)
      if (streamed && !isSuccess(exchange) && (await isRefusedInStreams(t, group))) continue
      if (group.kind === 'most' && isTooLongForModel(exchange))
        t.notApplicable('the context of the model is too short for this number')
      t.expect(exchange, takenAt(request, streamed))
    }
}

/** If the target refuses the field whatever it holds, one wrong member of each kind shows as much as all of them. */
async function* needed(
  t: CaseContext,
  group: EdgeGroup,
  [first, ...others]: readonly MutatedRequest[],
): AsyncGenerator<MutatedRequest> {
  if (first !== undefined) yield first
  if (group.at === group.field || (await refusedField(t, group)) === undefined) yield* others
}

async function expectRefused(t: CaseContext, group: EdgeGroup): Promise<void> {
  for await (const request of needed(t, group, requestsOf(group, t.target.model))) {
    const exchange = await sendEdge(t, request)
    if (isSuccess(exchange)) await requireRead(t, group)
    t.expect(exchange, refusedAt(request))
  }
}

/**
 * The target must refuse the value in any case; if it does not offer the field, its refusal shows nothing about the edge.
 */
async function judgeRefused(t: CaseContext, group: EdgeGroup): Promise<void> {
  requireJudgedHere(t, group)
  await expectRefused(t, group)
  await requireOffered(t, group)
}

function slugOf(at: string): string {
  return at.replaceAll('[]', '-item').replaceAll('.*', '-member').replaceAll(/[._]/g, '-')
}

/** Nothing is wrong with `stream_options` beside `stream: true`, and `stream` itself cannot be another value. */
const streamable = groups.filter(({ field, accepted }) => !accepted && !field.startsWith('stream'))

const streamedCases: readonly Case[] = [...Map.groupBy(streamable, ({ field }) => field)].map(
  ([field, own]) =>
    check(
      `stream.edge.${slugOf(field)}`,
      'STREAM-13',
      `\`${field}\` beyond its edges, with \`stream: true\``,
    ).run(async (t) => {
      for (const group of own) {
        requireJudgedHere(t, group)
        for await (const request of needed(t, group, fewerOf(group, t.target.model)))
          await judgedAlike(t, (streamed) => sendEdge(t, request, streamed), refusedAt(request))
      }
      for (const group of own) await requireOffered(t, group)
    }),
)

const unseenCases: readonly Case[] = Array.from(UNSEEN, (field) =>
  check(`wire.unseen-${slugOf(field)}`, 'WIRE-30', `wrong values of \`${field}\` and of its members`).run(
    async (t) => {
      if (t.target.profile !== 'wire')
        t.notApplicable('CHAT-5, CHAT-6 and WIRE-10 judge it in profile service')
      const own = groups.filter((group) => group.field === field && !group.accepted)
      for (const group of own) await expectRefused(t, group)
      for (const group of own) await requireOffered(t, group)
    },
  ),
)

export const cases: readonly Case[] = [
  ...unseenCases,
  ...groups.map((group) =>
    check(
      `wire.edge.${slugOf(group.at)}.${group.kind}`,
      group.judgement.requirement,
      `\`${group.at}\`: ${titles[group.kind]}`,
    ).run((t) => (group.accepted ? judgeTaken(t, group) : judgeRefused(t, group))),
  ),
  ...streamedCases,
]
