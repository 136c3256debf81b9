// Which constraints each row demands: one entry for each field and kind, so that a target that lacks the field is not
// judged by it.
import type { RequirementId } from '../../../../../spec/catalogue/requirements.ts'
import type { MutatedRequest, Place } from '../../../../generate/requests.ts'
import { companions } from '../../../../generate/keep-rules.ts'
import type { Refusal } from '../../../../../harness/verify/verify.ts'

export interface Mutation {
  readonly slug: string
  readonly title: string
  readonly requirement: RequirementId
  /** Optional fields of the request. If the target refuses one of them by name, the mutation is not judged. */
  readonly fields?: readonly string[]
  accept(place: Place): boolean
  /** There are many places to break: no share of the examples, but all of them. */
  readonly thorough?: true
  /** Leaves out what the row does not judge. */
  readonly judged?: (broken: MutatedRequest) => boolean
  /** The type and code of the refusal, beside its status. */
  readonly refusal?: Refusal
}

const schema = (name: string): string => `/components/schemas/${name}/`
const dashed = (name: string): string => name.replaceAll('_', '-')
const is = (kind: Place['kind'], at: string) => (place: Place) => place.kind === kind && place.at === at
const own = (field: string) => (place: Place) =>
  place.at === field || place.at.startsWith(`${field}.`) || place.at.startsWith(`${field}[`)

/** Members of every message, and further members of an assistant or tool message. */
export const messagePlaces: ReadonlySet<string> = new Set([
  'messages',
  'messages[]',
  ...'role name content content[] content[].type content[].text tool_call_id tool_calls'
    .split(' ')
    .map((member) => `messages[].${member}`),
  ...['', '.id', '.type', '.function', '.function.name', '.function.arguments'].map(
    (member) => `messages[].tool_calls[]${member}`,
  ),
])

/**
 * Fields that every deployment knows, and whose types are judged. `stream_options` is not among them because a plain
 * request cannot contain it.
 */
const typedFields = `frequency_penalty logit_bias logprobs max_completion_tokens max_tokens metadata n
  presence_penalty response_format seed stop temperature tool_choice tools top_logprobs top_p`.split(/\s+/)

export function withNeeded(field: string): readonly string[] {
  const companion = companions[field]
  return companion === undefined ? [field] : [field, companion]
}

/** Parts of these fields that came later, or that only some deployments take. */
const special = /custom|allowed_tools|description|strict|include_obfuscation|parameters|\.schema$/

function mutation(
  requirement: RequirementId,
  slug: string,
  title: string,
  accept: Mutation['accept'],
  more: Partial<Mutation> = {},
): Mutation {
  return { slug, title, requirement, accept, ...more }
}

export const chatMutations: readonly Mutation[] = [
  mutation(
    'CHAT-4',
    'missing-member',
    'a required member is missing',
    ({ at, kind, constraint }) =>
      kind === 'missing' &&
      (at === 'model' ||
        at === 'messages' ||
        (/^messages\[\]\.(role|content)$/.test(at) &&
          [schema('SystemMessage'), schema('UserMessage')].some((prefix) => constraint.startsWith(prefix)))),
    { refusal: { type: 'invalid_request_error', code: 'invalid_request_error' } },
  ),
  mutation('CHAT-5', 'type-of-model', '`model` of another type', is('type', 'model')),
  mutation(
    'CHAT-5',
    'type-in-messages',
    'something in `messages` of another type',
    ({ at, kind }) => kind === 'type' && messagePlaces.has(at),
    { thorough: true },
  ),
  mutation('CHAT-5', 'type-of-stream', '`stream` of another type', is('type', 'stream'), {
    fields: ['stream'],
  }),
  ...typedFields.map((field) =>
    mutation(
      'CHAT-5',
      `type-of-${dashed(field)}`,
      `\`${field}\`, or something in it, of another type`,
      (place) =>
        place.kind === 'type' &&
        own(field)(place) &&
        !special.test(place.at) &&
        !/Custom|Allowed/.test(place.constraint),
      { fields: withNeeded(field) },
    ),
  ),
  mutation('CHAT-6', 'unknown-role', 'a role that the format does not know', is('enum', 'messages[].role')),
  mutation(
    'CHAT-6',
    'unknown-part-type',
    'a content part of a type that the format does not know',
    (place) =>
      is('enum', 'messages[].content[].type')(place) && place.constraint === schema('UserPart').slice(0, -1),
  ),
  ...['response_format', 'tool_choice', 'tools'].map((field) =>
    mutation(
      'CHAT-6',
      `unknown-${dashed(field)}`,
      `\`${field}\` of a kind that the format does not know`,
      (place) =>
        place.kind === 'enum' && /^(\w+|\w+\.type|tools\[\]\.type)$/.test(place.at) && own(field)(place),
      { fields: withNeeded(field) },
    ),
  ),
]

function range(field: string, title: string, more: Partial<Mutation> = {}): Mutation {
  const accept = (place: Place): boolean => place.kind === 'range' && own(field)(place)
  const fields = withNeeded(field)
  return mutation('WIRE-10', `range-of-${dashed(field)}`, `\`${field}\` ${title}`, accept, {
    fields,
    ...more,
  })
}

/** A name that must match the pattern of WIRE-10. */
function name(slug: string, of: string, field: string, place: string): Mutation {
  const title = `a name of ${of} that is not of \`[A-Za-z0-9_-]{1,64}\``
  return mutation('WIRE-10', `names-of-${slug}`, title, is('pattern', place), { fields: [field] })
}

/** A bound on the number of elements of a field. */
const isMost =
  (field: string) =>
  ({ at, constraint }: Place): boolean =>
    at === field && constraint.endsWith('/maxItems')

export const rangeMutations: readonly Mutation[] = [
  range('temperature', 'out of 0 to 2'),
  range('top_p', 'out of 0 to 1'),
  range('presence_penalty', 'out of −2 to 2'),
  range('frequency_penalty', 'out of −2 to 2'),
  range('n', 'out of 1 to 128'),
  range('top_logprobs', 'out of 0 to 20'),
  range('logit_bias', 'out of −100 to 100'),
  // Zero is not judged.
  ...['max_tokens', 'max_completion_tokens'].map((field) =>
    range(field, 'below 0', { judged: ({ body }) => Number(Reflect.get(Object(body), field)) < 0 }),
  ),
  range('stop', 'of more than 4', { accept: isMost('stop') }),
  range('metadata', 'beyond 16 pairs, 64 or 512 characters', {
    accept: (place) => ['properties', 'names', 'length'].includes(place.kind) && own('metadata')(place),
  }),
  range('tools', 'of more than 128', { accept: isMost('tools') }),
  mutation('WIRE-10', 'no-messages', 'no message', is('items', 'messages')),
  // The names of participants follow no pattern of the format.
  name('functions', 'a function', 'tools', 'tools[].function.name'),
  name('formats', 'a schema', 'response_format', 'response_format.json_schema.name'),
  ...['n', 'max_tokens', 'max_completion_tokens', 'seed', 'top_logprobs', 'logit_bias'].map((field) =>
    mutation(
      'WIRE-10',
      `integer-${dashed(field)}`,
      `a fraction in \`${field}\``,
      (place) => place.kind === 'integer' && own(field)(place),
      { fields: withNeeded(field) },
    ),
  ),
]

/** A rule between fields (WIRE-11), with the place at fault if it is broken. */
function rule(slug: string, place: string, title: string, ...fields: readonly string[]): Mutation {
  return mutation('WIRE-11', slug, title, is('rule', place), { fields })
}

export const ruleMutations: readonly Mutation[] = [
  rule('top-logprobs-alone', 'top_logprobs', '`top_logprobs` without `logprobs`', 'top_logprobs'),
  rule('stream-options-alone', 'stream_options', '`stream_options` without `stream`', 'stream_options'),
  rule('tool-choice', 'tool_choice', '`tool_choice` without `tools`, or of an absent tool', 'tool_choice'),
  rule('answer-without-call', 'messages[].tool_call_id', 'a tool message that answers no call'),
  rule('empty-assistant', 'messages[].content', 'an assistant message with neither content nor calls'),
]

/** The capabilities that a mutation needs. Every deployment of the format streams. */
export const capabilitiesOf = ({ fields = [] }: Mutation) => fields.filter((field) => field !== 'stream')
