// Which row judges an edge of the request schema. What no row speaks of is not judged: a bound that the document alone
// states, null where nothing may be null, a token limit of 0, a dot in a name, an empty stop, an empty list of tools.
import type { RequirementId } from '../../../spec/catalogue/requirements.ts'
import type { EdgeRequest } from '../../generate/edge-requests.ts'
import type { EdgeKind, SchemaEdge } from '../../generate/schema-edges.ts'
import { messagePlaces } from '../invalid-bodies/mutations.ts'

export interface Judgement {
  readonly requirement: RequirementId
  /** Leaves out values of the edge that the row does not judge, or that cost too much. */
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

/** What of a range is left out, and why. */
const partly: Readonly<Record<string, (value: unknown, kind: EdgeKind) => boolean>> = {
  // 0 is not judged.
  max_tokens: (value, kind) => kind !== 'below' || Number(value) < 0,
  max_completion_tokens: (value, kind) => kind !== 'below' || Number(value) < 0,
  // Its upper bound is costly enough once.
  n: (value, kind) => kind !== 'inside' || Number(value) < 100,
}

/** Forms that only some deployments take: where they are not known, they are not looked into. */
const OPTIONAL = /custom|allowed_tools|include_obfuscation/

/** Kinds of a message, a part, a format, a tool: a value that is none of them is for CHAT-6. */
const KINDS =
  /^(messages\[\]\.role|messages\[\]\.(content|tool_calls)\[\]\.type|response_format\.type|tool_choice(\.type)?|tools\[\]\.type)$/

/** The row that judges an edge; undefined where none does. */
export function judgementOf({ at, kind, pointer }: SchemaEdge): Judgement | undefined {
  if (OPTIONAL.test(at) || /Custom|Allowed/.test(pointer)) return undefined
  const inMessages = at.startsWith('messages')
  if (kind === 'type') return !inMessages || messagePlaces.has(at) ? { requirement: 'CHAT-5' } : undefined
  if (kind === 'unknown') {
    if (KINDS.test(at)) {
      // What parts a message of another role may have is open.
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
