// Which constraints each row demands: one entry for each field and kind, so that a target that lacks the field is not
// judged by it.
import type { RequirementId } from '../../../spec/catalogue/requirements.ts'
import type { MutatedRequest, Place } from '../../generate/requests.ts'
import { companions } from '../../generate/keep-rules.ts'
import type { Refusal } from '../../../harness/verify/verify.ts'

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
const own = (field: string) => (place: Place) =>
  place.at === field || place.at.startsWith(`${field}.`) || place.at.startsWith(`${field}[`)

/** Members of every message, and further members of an assistant or tool message. */
export const messagePlaces: ReadonlySet<string> = new Set([
  'messages',
  'messages[]',
  ...[
    'role',
    'name',
    'content',
    'content[]',
    'content[].type',
    'content[].text',
    'tool_call_id',
    'tool_calls',
  ].map((member) => `messages[].${member}`),
  ...['', '.id', '.type', '.function', '.function.name', '.function.arguments'].map(
    (member) => `messages[].tool_calls[]${member}`,
  ),
])

/**
 * Fields that every deployment knows, and whose types are judged. `stream_options` is not among them because a plain
 * request cannot contain it.
 */
const typedFields: readonly string[] = [
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'max_completion_tokens',
  'max_tokens',
  'metadata',
  'n',
  'presence_penalty',
  'response_format',
  'seed',
  'stop',
  'temperature',
  'tool_choice',
  'tools',
  'top_logprobs',
  'top_p',
]

export function withNeeded(field: string): readonly string[] {
  const companion = companions[field]
  return companion === undefined ? [field] : [field, companion]
}

/** Parts of these fields that came later, or that only some deployments take. */
const special = /custom|allowed_tools|description|strict|include_obfuscation|parameters|\.schema$/

export const chatMutations: readonly Mutation[] = [
  {
    slug: 'missing-member',
    title: 'a required member is missing',
    requirement: 'CHAT-4',
    accept: ({ at, kind, constraint }) =>
      kind === 'missing' &&
      (at === 'model' ||
        at === 'messages' ||
        (/^messages\[\]\.(role|content)$/.test(at) &&
          [schema('SystemMessage'), schema('UserMessage')].some((prefix) => constraint.startsWith(prefix)))),
    refusal: { type: 'invalid_request_error', code: 'invalid_request_error' },
  },
  {
    slug: 'type-of-model',
    title: '`model` of another type',
    requirement: 'CHAT-5',
    accept: ({ at, kind }) => kind === 'type' && at === 'model',
  },
  {
    slug: 'type-in-messages',
    title: 'something in `messages` of another type',
    requirement: 'CHAT-5',
    thorough: true,
    accept: ({ at, kind }) => kind === 'type' && messagePlaces.has(at),
  },
  {
    slug: 'type-of-stream',
    title: '`stream` of another type',
    requirement: 'CHAT-5',
    fields: ['stream'],
    accept: ({ at, kind }) => kind === 'type' && at === 'stream',
  },
  ...typedFields.map((field): Mutation => ({
    slug: `type-of-${dashed(field)}`,
    title: `\`${field}\`, or something in it, of another type`,
    requirement: 'CHAT-5',
    fields: withNeeded(field),
    accept: (place) =>
      place.kind === 'type' &&
      own(field)(place) &&
      !special.test(place.at) &&
      !/Custom|Allowed/.test(place.constraint),
  })),
  {
    slug: 'unknown-role',
    title: 'a role that the format does not know',
    requirement: 'CHAT-6',
    accept: ({ at, kind }) => kind === 'enum' && at === 'messages[].role',
  },
  {
    slug: 'unknown-part-type',
    title: 'a content part of a type that the format does not know',
    requirement: 'CHAT-6',
    accept: ({ at, kind, constraint }) =>
      kind === 'enum' && at === 'messages[].content[].type' && constraint === schema('UserPart').slice(0, -1),
  },
  ...['response_format', 'tool_choice', 'tools'].map((field): Mutation => ({
    slug: `unknown-${dashed(field)}`,
    title: `\`${field}\` of a kind that the format does not know`,
    requirement: 'CHAT-6',
    fields: withNeeded(field),
    accept: (place) =>
      place.kind === 'enum' && /^(\w+|\w+\.type|tools\[\]\.type)$/.test(place.at) && own(field)(place),
  })),
]

function range(field: string, title: string, more: Partial<Mutation> = {}): Mutation {
  return {
    slug: `range-of-${dashed(field)}`,
    title: `\`${field}\` ${title}`,
    requirement: 'WIRE-10',
    fields: withNeeded(field),
    accept: (place) => place.kind === 'range' && own(field)(place),
    ...more,
  }
}

function name(slug: string, of: string, field: string, place: string): Mutation {
  return {
    slug: `names-of-${slug}`,
    title: `a name of ${of} that is not of \`[A-Za-z0-9_-]{1,64}\``,
    requirement: 'WIRE-10',
    fields: [field],
    accept: ({ at, kind }) => kind === 'pattern' && at === place,
  }
}

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
  range('stop', 'of more than 4', {
    accept: ({ at, constraint }) => at === 'stop' && constraint.endsWith('/maxItems'),
  }),
  range('metadata', 'beyond 16 pairs, 64 or 512 characters', {
    accept: (place) => ['properties', 'names', 'length'].includes(place.kind) && own('metadata')(place),
  }),
  range('tools', 'of more than 128', {
    accept: ({ at, constraint }) => at === 'tools' && constraint.endsWith('/maxItems'),
  }),
  {
    slug: 'no-messages',
    title: 'no message',
    requirement: 'WIRE-10',
    accept: ({ at, kind }) => kind === 'items' && at === 'messages',
  },
  // The names of participants follow no pattern of the format.
  name('functions', 'a function', 'tools', 'tools[].function.name'),
  name('formats', 'a schema', 'response_format', 'response_format.json_schema.name'),
  ...['n', 'max_tokens', 'max_completion_tokens', 'seed', 'top_logprobs', 'logit_bias'].map(
    (field): Mutation => ({
      slug: `integer-${dashed(field)}`,
      title: `a fraction in \`${field}\``,
      requirement: 'WIRE-10',
      fields: withNeeded(field),
      accept: (place) => place.kind === 'integer' && own(field)(place),
    }),
  ),
]

/** A rule between fields (WIRE-11), with the place at fault if it is broken. */
function rule(slug: string, place: string, title: string, ...fields: readonly string[]): Mutation {
  const accept = ({ at, kind }: Place): boolean => kind === 'rule' && at === place
  return { slug, title, requirement: 'WIRE-11', fields, accept }
}

export const ruleMutations: readonly Mutation[] = [
  rule('top-logprobs-alone', 'top_logprobs', '`top_logprobs` without `logprobs`', 'top_logprobs'),
  rule('stream-options-alone', 'stream_options', '`stream_options` without `stream`', 'stream_options'),
  rule('tool-choice', 'tool_choice', '`tool_choice` without `tools`, or of an absent tool', 'tool_choice'),
  rule('answer-without-call', 'messages[].tool_call_id', 'a tool message that answers no call'),
  rule('empty-assistant', 'messages[].content', 'an assistant message with neither content nor calls'),
]

/** The capabilities that a mutation needs. Every deployment of the format streams. */
export function capabilitiesOf({ fields = [] }: Mutation): readonly string[] {
  return fields.filter((field) => field !== 'stream')
}
