// The row that judges each edge of the request schema. No row judges a bound that only the document states, null for a
// field that may not be null, a token limit of 0, a dot in a name, an empty stop or an empty list of tools.
import type { RequirementId } from '../../../../../spec/catalogue/requirements.ts'
import type { EdgeRequest } from '../../../../generate/edge-requests.ts'
import type { EdgeKind, SchemaEdge } from '../../../../generate/schema-edges.ts'
import { messagePlaces } from '../invalid-bodies/mutations.ts'

export interface Judgement {
  readonly requirement: RequirementId
  /** Leaves out values of the edge that the row does not judge or that cost too much. */
  readonly judges?: (request: EdgeRequest) => boolean
}

const RANGE = ['lower', 'upper', 'inside', 'below', 'above'] as const
const INTEGER = ['fraction', 'whole'] as const
const SIZE = ['most', 'too-many'] as const
const LENGTH = ['longest', 'too-long'] as const
const NAME = ['characters', 'bad-characters'] as const

/** The ranges of WIRE-10, place by place. */
const ranges: Readonly<Record<string, readonly EdgeKind[]>> = {
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
const partly: Readonly<Record<string, (value: unknown, kind: EdgeKind) => boolean>> = {
  // No row judges 0.
  max_tokens: (value, kind) => kind !== 'below' || Number(value) < 0,
  max_completion_tokens: (value, kind) => kind !== 'below' || Number(value) < 0,
  // Values near the upper bound cost too much to be tried twice.
  n: (value, kind) => kind !== 'inside' || Number(value) < 100,
}

/** Forms that only some deployments accept: their parts are not judged. */
const OPTIONAL = /custom|allowed_tools|include_obfuscation/

/** Places that state a kind of message, part, format or tool; CHAT-6 judges unknown kinds. */
const KINDS =
  /^(messages\[\]\.role|messages\[\]\.(content|tool_calls)\[\]\.type|response_format\.type|tool_choice(\.type)?|tools\[\]\.type)$/

/** Returns the row that judges an edge; undefined if none does. */
export function judgementOf({ at, kind, pointer }: SchemaEdge): Judgement | undefined {
  if (OPTIONAL.test(at) || /Custom|Allowed/.test(pointer)) return undefined
  const inMessages = at.startsWith('messages')
  if (kind === 'type') return !inMessages || messagePlaces.has(at) ? { requirement: 'CHAT-5' } : undefined
  if (kind === 'unknown') {
    if (KINDS.test(at)) {
      // The format leaves open which parts a message of another role may have.
      const isOpen = at.endsWith('content[].type') && !pointer.endsWith('/UserPart')
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
