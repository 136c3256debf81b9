// A fault at one edge turns red the row of that edge, at its check; what no row judges stays green.
import { describe, expect, it } from 'vitest'
import { parseChatCompletionRequest } from '../../../spec/schemas/parse-request.ts'
import { at, isRecord } from '../../../harness/verify/json-value.ts'
import { type Fault, inRequest } from '../scripted/scripted-chat.fixture.ts'
import { judgeChat } from '../scripted/judge-scripted-chat.fixture.ts'
import { failed, redRows } from '../scripted/scripted-verdicts.fixture.ts'
import type { Case } from '../../runner/case.ts'
import { refuse } from '../scripted/scripted-service.fixture.ts'
import { cases } from './edges.ts'

type Json = Readonly<Record<string, unknown>>

/** The fields that the scripted service does not refuse by name. */
const TAKEN = ['model', 'messages', 'stream', 'stream_options', 'n']

function only(body: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(body).filter(([name]) => names.includes(name)))
}

/** Takes every field where its value is right: what it does then is not looked at here. */
const takesAll: Fault = inRequest((body) =>
  'request' in parseChatCompletionRequest(body) ? only(body, TAKEN) : body,
)

/** Takes a request of which this holds as if nothing were wrong with it. */
function takes(when: (body: Json) => boolean): Fault {
  return (call, right) =>
    isRecord(call.body) && when(call.body)
      ? right({
          ...call,
          body: { ...only(call.body, ['model', 'stream']), messages: [{ role: 'user', content: 'a' }] },
        })
      : takesAll(call, right)
}

/** Refuses each request for which `when` is true, and names the field. */
function refuses(when: (body: Json) => boolean, named = 'no such word'): Fault {
  return (call, right) =>
    isRecord(call.body) && when(call.body)
      ? refuse(400, 'invalid', `Wrong: '${named}'.`)
      : takesAll(call, right)
}

const streamed = (body: Json): boolean => body['stream'] === true

const broken: Readonly<Record<string, { fault: Fault; rows: readonly string[]; check: string }>> = {
  'a value at its bound is refused': {
    fault: refuses((body) => body['temperature'] === 2),
    rows: ['WIRE-10'],
    check: 'wire.edge.temperature.upper',
  },
  'a value at its bound is refused by name': {
    fault: refuses((body) => body['temperature'] === 0, 'temperature'),
    rows: ['WIRE-10'],
    check: 'wire.edge.temperature.lower',
  },
  'a value at its bound is refused in a stream': {
    fault: refuses((body) => body['n'] === 128 && streamed(body)),
    rows: ['WIRE-10'],
    check: 'wire.edge.n.upper',
  },
  'a whole number with a point is refused': {
    fault: (call, right) =>
      call.raw.includes('"seed":1.0') ? refuse(400, 'invalid', 'No integer.') : takesAll(call, right),
    rows: ['WIRE-10'],
    check: 'wire.edge.seed.whole',
  },
  'a little too much is taken': {
    fault: takes((body) => body['top_p'] === 1.01),
    rows: ['WIRE-10'],
    check: 'wire.edge.top-p.above',
  },
  'a number in a text is read': {
    fault: takes((body) => body['n'] === '1' && !streamed(body)),
    rows: ['CHAT-5'],
    check: 'wire.edge.n.type',
  },
  'a number in a text is read in a stream': {
    fault: takes((body) => body['n'] === '1' && streamed(body)),
    rows: ['STREAM-13'],
    check: 'stream.edge.n',
  },
  'any role is taken, in a later message': {
    fault: takes((body) => at(body['messages'], 2, 'role') === 'touchstone' && !streamed(body)),
    rows: ['CHAT-6'],
    check: 'wire.edge.messages-item-role.unknown',
  },
  'a later part is of another type': {
    fault: takes(
      (body) => typeof at(body['messages'], 2, 'content', 2, 'text') === 'number' && !streamed(body),
    ),
    rows: ['CHAT-5'],
    check: 'wire.edge.messages-item-content-item-text.type',
  },
  'any tier is taken': {
    fault: takes((body) => body['service_tier'] === 'AUTO' && !streamed(body)),
    rows: ['WIRE-10'],
    check: 'wire.edge.service-tier.unknown',
  },
  'the longest name is refused': {
    fault: refuses((body) => String(at(body['tools'], 0, 'function', 'name')).length === 64),
    rows: ['WIRE-10'],
    check: 'wire.edge.tools-item-function-name.characters',
  },
}

/** Refuses `moderation` by name, but accepts a boolean for it, either in streams or in plain requests. */
function booleanTaken(isStreamed: boolean): Fault {
  const taken = takes((body) => body['moderation'] === true && streamed(body) === isStreamed)
  const refused = refuses((body) => 'moderation' in body && body['moderation'] !== true, 'moderation')
  return (call, right) => refused(call, (next) => taken(next, right))
}

/** Allowed behaviour, and the fields whose edges could be blamed for it. */
const allowed: Readonly<Record<string, { fault: Fault; fields: RegExp }>> = {
  'the right service': { fault: takesAll, fields: /./ },
  'no token at all': {
    fault: takes((body) => body['max_tokens'] === 0 || body['max_completion_tokens'] === 0),
    fields: /tokens/,
  },
  'a dot in a name': {
    fault: takes((body) => String(at(body['tools'], 0, 'function', 'name')).includes('.')),
    fields: /^tools/,
  },
  'an empty stop': { fault: takes((body) => body['stop'] === ''), fields: /^stop/ },
  'null in a field that cannot be null': {
    fault: takes((body) => body['tools'] === null || body['user'] === null),
    fields: /^(tools|user)/,
  },
  'unknown members of a message': {
    fault: takes((body) => at(body['messages'], 0, 'touchstone') !== undefined),
    fields: /^messages/,
  },
}

/** The checks of these fields, plain and streamed. */
function edgesOf(fields: RegExp): readonly Case[] {
  return cases.filter(({ id }) => fields.test(fieldOf(id)))
}

/** The field in the id of a check: `n` of `wire.edge.n.upper`. */
function fieldOf(id: string): string {
  return id.split('.')[2] ?? ''
}

describe('edges', () => {
  it.each(Object.entries(broken))('sees: %s', async (_, { fault, rows, check }) => {
    const verdicts = await judgeChat(fault, edgesOf(new RegExp(`^${fieldOf(check)}$`)))
    expect(redRows(verdicts)).toEqual(rows)
    expect(failed(verdicts)).toContain(check)
  })

  it.each(Object.entries(allowed))('allows: %s', async (_, { fault, fields }) => {
    const verdicts = await judgeChat(fault, edgesOf(fields))
    expect(verdicts.length).toBeGreaterThan(0)
    expect(verdicts.filter(({ outcome }) => outcome !== 'pass')).toEqual([])
  })

  it('a model whose context is too short for so many tools is not blamed', async () => {
    const tools = (body: Json): boolean => [body['tools']].flat().length > 100
    const short: Fault = (call, right) =>
      isRecord(call.body) && tools(call.body)
        ? refuse(400, 'context_length_exceeded', 'The prompt is too long for the context of this model.')
        : takesAll(call, right)
    const verdicts = await judgeChat(short, edgesOf(/^tools/))
    expect(failed(verdicts)).toEqual([])
    expect(verdicts.find(({ id }) => id === 'wire.edge.tools.most')?.outcome).toBe('not-applicable')
  })

  it.each([
    { isStreamed: false, row: 'CHAT-5', check: 'wire.edge.moderation.type' },
    { isStreamed: true, row: 'STREAM-13', check: 'stream.edge.moderation' },
  ])(
    'sees another type that is taken for a field refused by name: $row',
    async ({ isStreamed, row, check }) => {
      const verdicts = await judgeChat(booleanTaken(isStreamed), edgesOf(/^moderation/))
      expect(redRows(verdicts)).toEqual([row])
      expect(failed(verdicts)).toEqual([check])
    },
  )

  it('a field of which only the default is taken is not offered', async () => {
    const verdicts = await judgeChat(
      refuses((body) => 'temperature' in body, 'temperature'),
      edgesOf(/^temperature/),
    )
    expect(failed(verdicts)).toEqual([])
    expect(verdicts.find(({ id }) => id === 'wire.edge.temperature.upper')?.outcome).toBe('not-applicable')
  })
})
