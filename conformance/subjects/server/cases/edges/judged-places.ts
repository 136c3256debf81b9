// The row that judges each place of the request schema. No row judges a bound that only the document states, null for a
// field that may not be null, a token limit of 0, a dot in a name, an empty stop or an empty list of tools.
import type { RequirementId } from '../../../../../spec/catalogue/requirements.ts'
import type { MutatedRequest } from '../../../../generate/chat-requests.ts'
import { companions } from '../../../../generate/keep-rules.ts'
import type { Place, PlaceKind } from '../../../../generate/schema-places.ts'

export interface Judgement {
  readonly requirement: RequirementId
  /** Leaves out values of the place that the row does not judge or that cost too much. */
  readonly judges?: (request: MutatedRequest) => boolean
}

/** Forms of messages, parts and tools that a target may lack, and that generated requests therefore do not contain. */
export const OPTIONAL_FORMS = `DeveloperMessage FunctionMessage RefusalPart ImagePart AudioPart FilePart
  CustomTool CustomToolCall CustomToolChoice AllowedToolsChoice`.split(/\s+/)

/** A field and the field without which it is refused. */
export function withNeeded(field: string): readonly string[] {
  const companion = companions[field]
  return companion === undefined ? [field] : [field, companion]
}

const RANGE = ['lower', 'upper', 'inside', 'below', 'above'] as const
const INTEGER = ['fraction', 'whole'] as const
const SIZE = ['most', 'too-many'] as const
const LENGTH = ['longest', 'too-long'] as const
const NAME = ['characters', 'bad-characters'] as const

/** The ranges of WIRE-10, place by place. */
const ranges: Readonly<Record<string, readonly PlaceKind[]>> = {
  temperature: RANGE,
  top_p: RANGE,
  presence_penalty: RANGE,
  frequency_penalty: RANGE,
  n: [...RANGE, ...INTEGER],
  top_logprobs: [...RANGE, ...INTEGER],
  'logit_bias.*': [...RANGE, ...INTEGER],
  max_tokens: ['lower', 'below', ...INTEGER],
  max_completion_tokens: ['lower', 'below', ...INTEGER],
  seed: INTEGER,
  stop: SIZE,
  metadata: [...SIZE, ...LENGTH],
  'metadata.*': LENGTH,
  tools: SIZE,
  'tools[].function.name': NAME,
  'response_format.json_schema.name': NAME,
  messages: ['too-few'],
}

/** The values of a range that are judged. */
const partly: Readonly<Record<string, (value: unknown, kind: PlaceKind) => boolean>> = {
  // No row judges 0.
  max_tokens: (value, kind) => kind !== 'below' || Number(value) < 0,
  max_completion_tokens: (value, kind) => kind !== 'below' || Number(value) < 0,
  // Values near the upper bound cost too much to be tried twice.
  n: (value, kind) => kind !== 'inside' || Number(value) < 100,
}

/** Forms that only some deployments accept: their parts are not judged. */
const OPTIONAL = /custom|allowed_tools|include_obfuscation/

/** Members of every message, and further members of an assistant or tool message. */
const messagePlaces: ReadonlySet<string> = new Set([
  'messages',
  'messages[]',
  ...'role name content content[] content[].type content[].text tool_call_id tool_calls'
    .split(' ')
    .map((member) => `messages[].${member}`),
  ...['', '.id', '.type', '.function', '.function.name', '.function.arguments'].map(
    (member) => `messages[].tool_calls[]${member}`,
  ),
])

/** Members that CHAT-4 requires: of a request, and of messages of the system and the user. */
const REQUIRED = /^(model|messages)$/
const REQUIRED_IN_MESSAGES = /^messages\[\]\.(role|content)$/

/** Places that state a kind of message, part, format or tool; CHAT-6 judges unknown kinds. */
const KINDS =
  /^(messages\[\]\.role|messages\[\]\.(content|tool_calls)\[\]\.type|response_format\.type|tool_choice(\.type)?|tools\[\]\.type)$/

/** Returns the row that judges a place; undefined if none does. */
export function judgementOf({ at, kind, constraint }: Place): Judgement | undefined {
  if (OPTIONAL.test(at) || /Custom|Allowed/.test(constraint)) return undefined
  const inMessages = at.startsWith('messages')
  if (kind === 'rule') return { requirement: 'WIRE-11' }
  if (kind === 'missing') {
    const isJudged = /\/(System|User)Message\//.test(constraint) ? REQUIRED_IN_MESSAGES : REQUIRED
    return isJudged.test(at) ? { requirement: 'CHAT-4' } : undefined
  }
  if (kind === 'type') {
    const isJudged = inMessages ? messagePlaces.has(at) : at !== ''
    return isJudged ? { requirement: 'CHAT-5' } : undefined
  }
  if (kind === 'unknown') {
    if (KINDS.test(at)) {
      // The format leaves open which parts a message of another role may have.
      const isOpen = at.endsWith('content[].type') && !constraint.endsWith('/UserPart')
      return isOpen ? undefined : { requirement: 'CHAT-6' }
    }
    return inMessages ? undefined : { requirement: 'WIRE-10' }
  }
  if (ranges[at]?.includes(kind) !== true) return undefined
  const isJudged = partly[at]
  return {
    requirement: 'WIRE-10',
    ...(isJudged === undefined ? {} : { judges: ({ value }) => isJudged(value, kind) }),
  }
}
