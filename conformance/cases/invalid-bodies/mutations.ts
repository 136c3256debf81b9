// Which constraints each row demands: one entry for each field and kind, so that a target that lacks the field is not
// judged by it.
import type { RequirementId } from '../../../spec/catalogue/requirements.ts'
import type { BrokenRequest, Place } from '../../generate/arbitraries.ts'
import type { Refusal } from '../../../harness/verify/verify.ts'

/** One way to break a request. */
export interface Break {
  readonly slug: string
  readonly title: string
  readonly requirement: RequirementId
  /** The optional fields that stand in the request: not judged where the target refuses one of them by name. */
  readonly fields?: readonly string[]
  accept(place: Place): boolean
  /** There are many places to break: no share of the examples, but all of them. */
  readonly thorough?: true
  /** Leaves out what the row does not judge. */
  readonly judged?: (broken: BrokenRequest) => boolean
  /** What the refusal says beside its status. */
  readonly refusal?: Refusal
}

const schema = (name: string): string => `/components/schemas/${name}/`
const words = (name: string): string => name.replaceAll('_', '-')
const own = (field: string) => (place: Place) =>
  place.at === field || place.at.startsWith(`${field}.`) || place.at.startsWith(`${field}[`)

/** What every message has, and what a message of the assistant or of a tool has beside it. */
const messagePlaces: ReadonlySet<string> = new Set([
  'messages',
  'messages[]',
  'messages[].role',
  'messages[].content',
  'messages[].content[]',
  'messages[].content[].type',
  'messages[].content[].text',
  'messages[].tool_call_id',
  'messages[].tool_calls',
  'messages[].tool_calls[]',
  'messages[].tool_calls[].id',
  'messages[].tool_calls[].type',
  'messages[].tool_calls[].function',
  'messages[].tool_calls[].function.name',
  'messages[].tool_calls[].function.arguments',
])

/**
 * Fields of the format that every deployment knows, and that this suite holds against their types. `stream_options`
 * cannot stand in a plain request, and so is not among them.
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

/** Fields that cannot do without another one. */
const companions: ReadonlyMap<string, string> = new Map([
  ['top_logprobs', 'logprobs'],
  ['tool_choice', 'tools'],
])

function withNeeded(field: string): readonly string[] {
  const companion = companions.get(field)
  return companion === undefined ? [field] : [field, companion]
}

/** Parts of these fields that came later, or that only some deployments take. */
const special = /custom|allowed_tools|description|strict|include_obfuscation|parameters|\.schema$/

export const chatBreaks: readonly Break[] = [
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
  ...typedFields.map((field): Break => ({
    slug: `type-of-${words(field)}`,
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
      kind === 'enum' && at === 'messages[].content[].type' && constraint.startsWith(schema('UserMessage')),
  },
  ...['response_format', 'tool_choice', 'tools'].map((field): Break => ({
    slug: `unknown-${words(field)}`,
    title: `\`${field}\` of a kind that the format does not know`,
    requirement: 'CHAT-6',
    fields: withNeeded(field),
    accept: (place) =>
      place.kind === 'enum' && /^(\w+|\w+\.type|tools\[\]\.type)$/.test(place.at) && own(field)(place),
  })),
]

/** A range of WIRE-10. */
function range(field: string, title: string, more: Partial<Break> = {}): Break {
  return {
    slug: `range-of-${words(field)}`,
    title: `\`${field}\` ${title}`,
    requirement: 'WIRE-10',
    fields: withNeeded(field),
    accept: (place) => place.kind === 'range' && own(field)(place),
    ...more,
  }
}

export const rangeBreaks: readonly Break[] = [
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
  // The format gives the names of participants no form.
  {
    slug: 'names-of-functions',
    title: 'a name of a function that is not of `[A-Za-z0-9_-]{1,64}`',
    requirement: 'WIRE-10',
    fields: ['tools'],
    accept: ({ at, kind }) => kind === 'pattern' && at === 'tools[].function.name',
  },
  {
    slug: 'names-of-formats',
    title: 'a name of a schema that is not of `[A-Za-z0-9_-]{1,64}`',
    requirement: 'WIRE-10',
    fields: ['response_format'],
    accept: ({ at, kind }) => kind === 'pattern' && at === 'response_format.json_schema.name',
  },
  ...['n', 'max_tokens', 'max_completion_tokens', 'seed', 'top_logprobs', 'logit_bias'].map(
    (field): Break => ({
      slug: `integer-${words(field)}`,
      title: `a fraction in \`${field}\``,
      requirement: 'WIRE-10',
      fields: withNeeded(field),
      accept: (place) => place.kind === 'integer' && own(field)(place),
    }),
  ),
]

export const ruleBreaks: readonly Break[] = [
  {
    slug: 'top-logprobs-alone',
    title: '`top_logprobs` without `logprobs`',
    requirement: 'WIRE-11',
    fields: ['top_logprobs'],
    accept: ({ at, kind }) => kind === 'rule' && at === 'top_logprobs',
  },
  {
    slug: 'stream-options-alone',
    title: '`stream_options` without `stream`',
    requirement: 'WIRE-11',
    fields: ['stream_options'],
    accept: ({ at, kind }) => kind === 'rule' && at === 'stream_options',
  },
  {
    slug: 'tool-choice',
    title: '`tool_choice` without `tools`, or of an absent tool',
    requirement: 'WIRE-11',
    fields: ['tool_choice'],
    accept: ({ at, kind }) => kind === 'rule' && at === 'tool_choice',
  },
  {
    slug: 'answer-without-call',
    title: 'a tool message that answers no call',
    requirement: 'WIRE-11',
    accept: ({ at, kind }) => kind === 'rule' && at === 'messages[].tool_call_id',
  },
  {
    slug: 'empty-assistant',
    title: 'an assistant message with neither content nor calls',
    requirement: 'WIRE-11',
    accept: ({ at, kind }) => kind === 'rule' && at === 'messages[].content',
  },
]

/** What a target must offer to be judged by this: every deployment of the format streams. */
export function capabilitiesOf({ fields = [] }: Break): readonly string[] {
  return fields.filter((field) => field !== 'stream')
}
