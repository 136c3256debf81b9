// Bodies that break exactly one constraint of the document, found and shrunk by properties (CHAT-4 to 6, WIRE-10,
// WIRE-11), plain and with `stream: true` (STREAM-13): a streamed body is refused as the plain one is. If the plain body
// is accepted, another row is at fault. Only what a row demands is broken: a constraint that the document alone states
// says nothing about another service.
import fc from 'fast-check'
import { ChatRequests, type MutatedRequest, bodyText } from '../../../../generate/chat-requests.ts'
import { property } from '../../../../generate/property.ts'
import { openApiDocument } from '../../../../generate/request-schema.ts'
import type { Place, PlaceKind } from '../../../../generate/schema-places.ts'
import type { RequirementId } from '../../../../../spec/catalogue/requirements.ts'
import { type Case, type CaseContext, type Variants, check, checkEach } from '../../case.ts'
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import { isRecord, show } from '../../../../../harness/json-value.ts'
import { type Verifier, refused } from '../../../../../harness/verify/verify.ts'
import { noted, post, postRaw, validBody } from '../requests/chat-calls.ts'
import { INCOMPLETE_REFUSAL, incomplete } from '../chat/chat-refusals.ts'
import { OPTIONAL_FORMS, judgementOf, withNeeded } from './judged-places.ts'

/** A check of one field and some kinds of places, so that a target that lacks the field is not judged by it. */
interface BodyCheck {
  readonly requirement: RequirementId
  readonly slug: string
  readonly title: string
  /** The field at fault, or the place in it, for example `messages[].role`; undefined for all of them. */
  readonly at: string | undefined
  readonly kinds: readonly PlaceKind[]
  /** Optional fields of the request. If the target refuses one of them by name, the body is not judged. */
  readonly fields: readonly string[]
}

type FieldChecks = readonly [
  slug: string,
  title: string,
  at: string | undefined,
  ...kinds: readonly PlaceKind[],
]

/** The checks of a row. Their requests have the field at fault and the field that it needs. */
function checksOf(requirement: RequirementId, rows: readonly FieldChecks[]): readonly BodyCheck[] {
  return rows.map(([slug, title, at, ...kinds]) => {
    const field = at?.split(/[.[]/)[0] ?? 'messages'
    const fields = ['model', 'messages'].includes(field) ? [] : withNeeded(field)
    return { requirement, slug, title, at, kinds, fields }
  })
}

/** A row for each field; `*` in the slug and the title is the field. */
function each(
  fields: string,
  slug: string,
  title: string,
  ...kinds: readonly PlaceKind[]
): readonly FieldChecks[] {
  const row = (field: string): FieldChecks => [
    slug.replace('*', field.replaceAll('_', '-')),
    title.replace('*', field),
    field,
    ...kinds,
  ]
  return fields.split(/\s+/).map(row)
}

/**
 * Fields that every deployment knows, and whose types are judged. `stream_options` is not among them because a plain
 * request cannot contain it.
 */
const TYPED_FIELDS = `frequency_penalty logit_bias logprobs max_completion_tokens max_tokens metadata n
  presence_penalty response_format seed stop temperature tool_choice tools top_logprobs top_p`

const OF_NO_KIND = 'of a kind that the format does not know'

const chatChecks: readonly BodyCheck[] = [
  ...checksOf('CHAT-4', [['missing-member', 'a required member is missing', undefined, 'missing']]),
  ...checksOf('CHAT-5', [
    ...each('model', 'type-of-*', '`*` of another type', 'type'),
    ['type-in-messages', 'something in `messages` of another type', 'messages', 'type'],
    ...each('stream', 'type-of-*', '`*` of another type', 'type'),
    ...each(TYPED_FIELDS, 'type-of-*', '`*`, or something in it, of another type', 'type'),
  ]),
  ...checksOf('CHAT-6', [
    ['unknown-role', 'a role that the format does not know', 'messages[].role', 'unknown'],
    [
      'unknown-part-type',
      'a content part of a type that the format does not know',
      'messages[].content',
      'unknown',
    ],
    ...each('response_format tool_choice tools', 'unknown-*', `\`*\` ${OF_NO_KIND}`, 'unknown'),
  ]),
]

const range = (fields: string, title: string, ...kinds: readonly PlaceKind[]): readonly FieldChecks[] =>
  each(fields, 'range-of-*', `\`*\` ${title}`, ...kinds)

const INTEGERS = 'n max_tokens max_completion_tokens seed top_logprobs logit_bias'
const BAD_NAME = 'that is not of `[A-Za-z0-9_-]{1,64}`'

const rangeChecks: readonly BodyCheck[] = checksOf('WIRE-10', [
  ...range('temperature', 'out of 0 to 2', 'below', 'above'),
  ...range('top_p', 'out of 0 to 1', 'below', 'above'),
  ...range('presence_penalty frequency_penalty', 'out of −2 to 2', 'below', 'above'),
  ...range('n', 'out of 1 to 128', 'below', 'above'),
  ...range('top_logprobs', 'out of 0 to 20', 'below', 'above'),
  ...range('logit_bias', 'out of −100 to 100', 'below', 'above'),
  ...range('max_tokens max_completion_tokens', 'below 0', 'below'),
  ...range('stop', 'of more than 4', 'too-many'),
  ...range('metadata', 'beyond 16 pairs, 64 or 512 characters', 'too-many', 'too-long'),
  ...range('tools', 'of more than 128', 'too-many'),
  ['no-messages', 'no message', 'messages', 'too-few'],
  // The names of participants follow no pattern of the format.
  ['names-of-functions', `a name of a function ${BAD_NAME}`, 'tools', 'bad-characters'],
  ['names-of-formats', `a name of a schema ${BAD_NAME}`, 'response_format', 'bad-characters'],
  ...each(INTEGERS, 'integer-*', 'a fraction in `*`', 'fraction'),
])

const ruleChecks: readonly BodyCheck[] = checksOf('WIRE-11', [
  ['top-logprobs-alone', '`top_logprobs` without `logprobs`', 'top_logprobs', 'rule'],
  ['stream-options-alone', '`stream_options` without `stream`', 'stream_options', 'rule'],
  ['tool-choice', '`tool_choice` without `tools`, or of an absent tool', 'tool_choice', 'rule'],
  ['answer-without-call', 'a tool message that answers no call', 'messages[].tool_call_id', 'rule'],
  ['empty-assistant', 'an assistant message with neither content nor calls', 'messages[].content', 'rule'],
])

export const bodyChecks: readonly BodyCheck[] = [...chatChecks, ...rangeChecks, ...ruleChecks]

function accepts({ requirement, at, kinds }: BodyCheck, place: Place): boolean {
  const isIn = (outer: string): boolean =>
    place.at === outer || ['.', '['].some((next) => place.at.startsWith(outer + next))
  return (
    (at === undefined || isIn(at)) &&
    kinds.includes(place.kind) &&
    judgementOf(place)?.requirement === requirement
  )
}

/** Requests that are broken in one of these ways, and in nothing else. */
export function brokenBodies(model: string, checks: readonly BodyCheck[]): fc.Arbitrary<MutatedRequest> {
  const fields = [...new Set(checks.flatMap(({ fields }) => fields))]
  return new ChatRequests(openApiDocument(), { fields, without: OPTIONAL_FORMS })
    .invalid((place) => checks.some((one) => accepts(one, place)), model)
    .filter((request) => judgementOf(request.place)?.judges?.(request) ?? true)
}

/** The request is refused; the message names the place. */
export function refusedAt({ at, value, place: { kind } }: MutatedRequest): Verifier {
  const refusal = kind === 'missing' ? INCOMPLETE_REFUSAL : undefined
  return noted(refused(400, refusal), kind === 'missing' ? `${at}: missing` : `${at}: ${show(value)}`)
}

/** The capabilities that a check needs. Every deployment of the format streams. */
const capabilitiesOf = ({ fields }: BodyCheck) => fields.filter((field) => field !== 'stream')

/** Examples for one field: there are many fields, and the edges of each are judged one by one. */
const SHARE_OF_RUNS = 10

/** This check has many places: it gets all examples instead of a share. */
const THOROUGH = 'type-in-messages'

function caseOf(bodyCheck: BodyCheck): Case {
  const { slug, requirement, title } = bodyCheck
  return check(`invalid-bodies.${slug}`, requirement, title).run(async (t) => {
    for (const field of capabilitiesOf(bodyCheck)) await t.target.requireField(field)
    const runs = slug === THOROUGH ? t.runs : Math.ceil(t.runs / SHARE_OF_RUNS)
    const judge = async (request: MutatedRequest): Promise<void> => {
      t.expect(await postRaw(t, bodyText(request.body)), refusedAt(request))
    }
    await property(t, brokenBodies(t.target.model, [bodyCheck]), judge, { runs })
  })
}

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

const streamedGroups: Variants<[checks: readonly BodyCheck[]]> = {
  chat: ['a wrong type, value or missing member', chatChecks],
  ranges: ['a value out of its range', rangeChecks],
  // Nothing is wrong with `stream_options` beside `stream: true`.
  rules: ['a broken rule between fields', ruleChecks.filter(({ at }) => at !== 'stream_options')],
}

/** The checks by which this target can be judged, and that leave `stream` alone. */
async function applicable(t: CaseContext, checks: readonly BodyCheck[]): Promise<readonly BodyCheck[]> {
  const offered: BodyCheck[] = []
  for (const candidate of checks) {
    const supported = await Promise.all(capabilitiesOf(candidate).map((field) => t.target.supports(field)))
    if (supported.every(Boolean) && !candidate.fields.includes('stream')) offered.push(candidate)
  }
  return offered
}

const streamedCases: readonly Case[] = [
  ...checkEach('invalid-bodies.streamed-*', 'STREAM-13', '*, with `stream: true`', streamedGroups).run(
    async (t, checks) => {
      await property(t, brokenBodies(t.target.model, await applicable(t, checks)), async (request) => {
        const { body } = request
        const send = (streamed: boolean) =>
          postRaw(t, bodyText(streamed && isRecord(body) ? { ...body, stream: true } : body))
        await judgedAlike(t, send, refusedAt(request))
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

export const cases: readonly Case[] = [...bodyChecks.map(caseOf), ...streamedCases]
