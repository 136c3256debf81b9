// Each fault in tool calls turns red the rows that it breaks and no others; what the rows allow stays green.
import { describe, expect, it } from 'vitest'
import { at, isRecord } from '../../../harness/verify/json-value.ts'
import { type Fault, inCompletion, inRecords, inRequest } from '../scripted/scripted-chat.fixture.ts'
import { judgeChat } from '../scripted/judge-scripted-chat.fixture.ts'
import { failed, notPassed, redRows } from '../scripted/scripted-verdicts.fixture.ts'
import { refuse } from '../scripted/scripted-service.fixture.ts'
import { cases, observers } from './tools.ts'

type Json = Record<string, unknown>

interface Call {
  readonly id?: unknown
  readonly type?: unknown
  readonly function: { readonly name: unknown; readonly arguments: unknown }
}

/** What is wrong, or odd, with a service that is right in everything else about tools. */
interface Edits {
  /** The calls that are made of a request. */
  readonly calls?: (calls: readonly Call[], body: Json) => readonly Call[]
  /** The message of a plain answer with calls. */
  readonly message?: (message: Json) => Json
  readonly reason?: (body: Json) => string
  /** The fragments of a streamed answer. */
  readonly fragments?: (fragments: readonly Json[]) => readonly Json[]
  /** Answers instead of the right service. */
  readonly fault?: Fault
}

function lacking(json: Json, ...names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(json).filter(([name]) => !names.includes(name)))
}

/** A value that a schema allows. */
function sample(schema: unknown): unknown {
  const [first] = [at(schema, 'enum')].flat()
  if (first !== undefined) return first
  switch ([at(schema, 'type')].flat().at(-1)) {
    case 'object':
      return Object.fromEntries(
        Object.entries(Object(at(schema, 'properties'))).map(([name, own]) => [name, sample(own)]),
      )
    case 'array':
      return [sample(at(schema, 'items'))]
    case 'string':
      return 'stone'
    case 'boolean':
      return true
    case 'null':
      return null
    default:
      return 3
  }
}

/** The calls that a request forces: one of the function that is named, or two of the first that is offered. */
function forced(body: Json): readonly Call[] {
  const choice = body['tool_choice']
  const tools: readonly unknown[] = [body['tools']].flat()
  const wanted = at(choice, 'function', 'name') ?? at(choice, 'allowed_tools', 'tools', 0, 'function', 'name')
  if (choice !== 'required' && choice !== 'auto' && wanted === undefined) return []
  const tool = tools.find(
    (offered) => at(offered, 'function', 'name') === (wanted ?? at(tools[0], 'function', 'name')),
  )
  const text = JSON.stringify(sample(at(tool, 'function', 'parameters')))
  const made = { name: at(tool, 'function', 'name'), arguments: text }
  const count = wanted !== undefined || body['parallel_tool_calls'] === false ? 1 : 2
  return Array.from({ length: count }, (_, place) => ({
    id: `call_${place}`,
    type: 'function',
    function: made,
  }))
}

function fragmentsOf(calls: readonly Call[]): readonly Json[] {
  return calls.flatMap(({ function: { name, arguments: text }, ...call }, index): readonly Json[] => {
    const first = { index, ...call, function: { name, arguments: '' } }
    return typeof text === 'string'
      ? [
          first,
          ...(text.match(/.{1,5}/gsu) ?? []).map((piece) => ({ index, function: { arguments: piece } })),
        ]
      : [{ ...first, function: { name, arguments: text } }]
  })
}

/** The chat service with tools: right, apart from these edits. */
function withTools({ calls: edit, message: inMessage, reason, fragments, fault }: Edits): Fault {
  return (call, right) => {
    const { body } = call
    if (!isRecord(body) || !Array.isArray(body['tools'])) return right(call)
    const without = inRequest((given) => lacking(given, 'tools', 'tool_choice', 'parallel_tool_calls'))
    const answered: Fault = (given, next) => {
      const calls = edit?.(forced(body), body) ?? forced(body)
      if (calls.length === 0) return without(given, next)
      const finish_reason = reason?.(body) ?? 'tool_calls'
      const plain = inCompletion((completion) => {
        const message = { role: 'assistant', content: null, tool_calls: calls }
        return {
          ...completion,
          choices: [{ index: 0, message: inMessage?.(message) ?? message, finish_reason }],
        }
      })
      const pieces = fragments?.(fragmentsOf(calls)) ?? fragmentsOf(calls)
      const streamed = inRecords(([head = '']) => {
        const chunk: unknown = JSON.parse(head)
        const record = (delta: object, finish: string | null = null): string =>
          JSON.stringify({ ...Object(chunk), choices: [{ index: 0, delta, finish_reason: finish }] })
        return [
          record({ role: 'assistant', content: null }),
          ...pieces.map((piece) => record({ tool_calls: [piece] })),
          record({}, finish_reason),
          '[DONE]',
        ]
      })
      return streamed(given, (inner) => plain(inner, (last) => without(last, next)))
    }
    return fault?.(call, (given) => answered(given, right)) ?? answered(call, right)
  }
}

/** Changes every call. */
function eachCall(edit: (call: Call, place: number) => Call): Edits {
  return { calls: (calls) => calls.map(edit) }
}

function withArguments(text: unknown): Edits {
  return eachCall((call) => ({ ...call, function: { ...call.function, arguments: text } }))
}

const choiceOf = (body: Json): unknown => body['tool_choice']
const isNamed = (body: Json): boolean => isRecord(choiceOf(body))
const isStrict = (body: Json): boolean => JSON.stringify(body['tools']).includes('"strict":true')
const results = (body: unknown): boolean => JSON.stringify(at(body, 'messages')).includes('"role":"tool"')

interface Broken {
  readonly edits: Edits
  readonly rows: readonly string[]
  /** A check that must see it. */
  readonly check: string
}

const broken: Readonly<Record<string, Broken>> = {
  'calls without an id': {
    edits: eachCall((call) => ({ function: call.function, type: call.type })),
    rows: ['TOOL-1', 'TOOL-5'],
    check: 'tools.ids',
  },
  'two calls with one id': {
    edits: eachCall((call) => ({ ...call, id: 'call_1' })),
    rows: ['TOOL-1'],
    check: 'tools.ids-streamed',
  },
  'an empty id': { edits: eachCall((call) => ({ ...call, id: '' })), rows: ['TOOL-1'], check: 'tools.ids' },
  'calls without a type': {
    edits: eachCall((call) => ({ function: call.function, id: call.id })),
    rows: ['TOOL-1', 'TOOL-5'],
    check: 'tools.types',
  },
  'a function that nobody offered': {
    edits: eachCall((call) => ({ ...call, function: { ...call.function, name: 'search' } })),
    rows: ['TOOL-1', 'TOOL-3'],
    check: 'tools.names',
  },
  'arguments that are an object': {
    edits: withArguments({ word: 'stone' }),
    rows: ['TOOL-1', 'TOOL-5'],
    check: 'tools.arguments-text',
  },
  'arguments of a strict tool that are no JSON': {
    edits: {
      calls: (calls, body) =>
        isStrict(body) ? (withArguments("{'word': 1}").calls?.(calls, body) ?? []) : calls,
    },
    rows: ['TOOL-1'],
    check: 'tools.strict-arguments-json',
  },
  'no content beside calls': {
    edits: { message: (message) => lacking(message, 'content') },
    rows: ['TOOL-2'],
    check: 'tools.content',
  },
  'content that is a list beside calls': {
    edits: { message: (message) => ({ ...message, content: [] }) },
    // And it refuses what it said itself, when that is sent back.
    rows: ['TOOL-2', 'TOOL-6'],
    check: 'tools.content',
  },
  'stop ends calls that the model chose': {
    edits: { reason: () => 'stop' },
    rows: ['TOOL-2'],
    check: 'tools.finish-reason-auto',
  },
  'function_call ends required calls': {
    edits: { reason: (body) => (choiceOf(body) === 'required' ? 'function_call' : 'tool_calls') },
    rows: ['TOOL-2'],
    check: 'tools.finish-reason',
  },
  'function_call ends a call of a named function': {
    edits: { reason: (body) => (isNamed(body) ? 'function_call' : 'tool_calls') },
    rows: ['TOOL-2'],
    check: 'tools.finish-reason-named',
  },
  'allowed tools are not looked at': {
    edits: {
      calls: (calls, body) =>
        at(choiceOf(body), 'type') === 'allowed_tools' ? forced({ ...body, tool_choice: 'required' }) : calls,
    },
    rows: ['TOOL-3'],
    check: 'tools.allowed',
  },
  'required calls nothing': {
    edits: { calls: (calls, body) => (choiceOf(body) === 'required' ? [] : calls) },
    rows: ['TOOL-3'],
    check: 'tools.required',
  },
  'a named function is not called': {
    edits: { calls: (calls, body) => (isNamed(body) ? [] : calls) },
    rows: ['TOOL-3'],
    check: 'tools.named',
  },
  'another function is called than the named one': {
    edits: { calls: (calls, body) => (isNamed(body) ? forced({ ...body, tool_choice: 'required' }) : calls) },
    rows: ['TOOL-3'],
    check: 'tools.named-streamed',
  },
  'none calls all the same': {
    edits: {
      calls: (calls, body) =>
        choiceOf(body) === 'none' ? forced({ ...body, tool_choice: 'required' }) : calls,
    },
    rows: ['TOOL-3'],
    check: 'tools.none',
  },
  'strict arguments lack a member': {
    edits: {
      calls: (calls, body) => (isStrict(body) ? (withArguments('{}').calls?.(calls, body) ?? []) : calls),
    },
    rows: ['TOOL-4'],
    check: 'tools.strict-flat',
  },
  'strict arguments have one member too many': {
    edits: {
      calls: (calls, body) =>
        calls.map((call) => {
          const text = String(call.function.arguments)
          const more = isStrict(body) ? text.replace(/\}$/, ',"why":"so"}') : text
          return { ...call, function: { ...call.function, arguments: more } }
        }),
    },
    rows: ['TOOL-4'],
    check: 'tools.strict-nested-streamed',
  },
  'later fragments repeat the id': {
    edits: {
      fragments: (pieces) => pieces.map((piece) => ({ ...piece, id: `call_${String(piece['index'])}` })),
    },
    rows: ['TOOL-5'],
    check: 'tools.fragments',
  },
  'indexes count from 1': {
    edits: {
      fragments: (pieces) => pieces.map((piece) => ({ ...piece, index: Number(piece['index']) + 1 })),
    },
    rows: ['TOOL-5'],
    check: 'tools.fragments',
  },
  'fragments without an index': {
    edits: { fragments: (pieces) => pieces.map((piece) => lacking(piece, 'index')) },
    rows: ['TOOL-5'],
    check: 'tools.fragments',
  },
  'the streamed arguments lose their spaces': {
    edits: {
      calls: (calls, body) =>
        body['stream'] === true && !isStrict(body)
          ? (withArguments('{"word":"gold"}').calls?.(calls, body) ?? [])
          : calls,
    },
    rows: ['TOOL-5'],
    check: 'tools.same-calls',
  },
  'results of calls are refused': {
    edits: {
      fault: (call, right) => (results(call.body) ? refuse(400, 'no', 'No role tool.') : right(call)),
    },
    rows: ['TOOL-6'],
    check: 'tools.round-trip',
  },
  'nothing answers the results of calls': {
    edits: {
      fault: (call, right) =>
        results(call.body)
          ? inCompletion((completion) => ({
              ...completion,
              choices: [{ index: 0, message: { role: 'assistant', content: null }, finish_reason: 'stop' }],
            }))(call, right)
          : right(call),
    },
    rows: ['TOOL-6'],
    check: 'tools.round-trip',
  },
  'parallel_tool_calls is ignored': {
    edits: { calls: (_, body) => forced({ ...body, parallel_tool_calls: true }) },
    rows: ['TOOL-7'],
    check: 'tools.one-call',
  },
}

const allowed: Readonly<Record<string, Edits>> = {
  'the right service': {},
  'text beside calls': { message: (message) => ({ ...message, content: 'Let me see.' }) },
  'an empty text beside calls': { message: (message) => ({ ...message, content: '' }) },
  'stop ends a call of a named function': { reason: (body) => (isNamed(body) ? 'stop' : 'tool_calls') },
  'stop ends required calls': {
    reason: (body) => (choiceOf(body) === 'required' ? 'stop' : 'tool_calls'),
  },
  'one call where one is required': { calls: (calls) => calls.slice(0, 1) },
  'ids of another form': eachCall((call, place) => ({ ...call, id: `${place}` })),
  'a named function is called twice': {
    calls: (calls, body) =>
      isNamed(body) ? calls.flatMap((call) => [call, { ...call, id: 'more' }]) : calls,
  },
  'whole calls in one fragment': {
    fragments: (pieces) =>
      [...Map.groupBy(pieces, (piece) => piece['index']).values()].map((own) => {
        const text = own.map((piece) => at(piece, 'function', 'arguments')).join('')
        const [index, id, type, described] = ['index', 'id', 'type', 'function'].map(
          (member) => own[0]?.[member],
        )
        return { index, id, type, function: { name: at(described, 'name'), arguments: text } }
      }),
  },
  'null where a later fragment says nothing': {
    fragments: (pieces) =>
      pieces.map((piece) =>
        'id' in piece
          ? piece
          : { ...piece, id: null, type: null, function: { name: null, ...Object(piece['function']) } },
      ),
  },
  'another call answers the results': {
    calls: (calls, body) => (results(body) ? forced({ ...body, tool_choice: 'required' }) : calls),
  },
}

describe('faults', () => {
  it.each(Object.entries(broken))('%s', async (_, { edits, rows, check }) => {
    const verdicts = await judgeChat(withTools(edits), cases, { observers })
    expect(redRows(verdicts)).toEqual(rows)
    expect(failed(verdicts)).toContain(check)
  })
})

describe('allowed', () => {
  it.each(Object.entries(allowed))('%s', async (_, edits) => {
    expect(notPassed(await judgeChat(withTools(edits), cases, { observers }))).toEqual([])
  })
})

it('arguments that are no JSON are a warning where strict is not set', async () => {
  const loose: Edits = {
    calls: (calls, body) => (isStrict(body) ? calls : (withArguments('{"word":').calls?.(calls, body) ?? [])),
  }
  // Warnings fail here, as under `--strict`; the check says by its level that it is one.
  const verdicts = await judgeChat(withTools(loose), cases)
  expect(failed(verdicts)).toEqual(['tools.arguments-json', 'tools.arguments-json-streamed'])
  expect(cases.filter(({ level }) => level === 'SHOULD').map(({ id }) => id)).toEqual(failed(verdicts))
})

it('a service that refuses tools by name is not judged by them in profile wire, and fails in the other', async () => {
  const wire = await judgeChat(undefined, cases, { profile: 'wire' })
  expect(new Set(wire.map(({ outcome }) => outcome))).toEqual(new Set(['not-applicable']))
  expect(redRows(await judgeChat(undefined, cases))).toContain('TOOL-3')
})

it('a model that makes calls of another kind each time is not blamed for it', async () => {
  let made = 0
  const edits: Edits = {
    calls: (calls, body) =>
      choiceOf(body) === 'required' && !isStrict(body)
        ? (withArguments(`{"word":"w${made++}"}`).calls?.(calls, body) ?? [])
        : calls,
  }
  expect(failed(await judgeChat(withTools(edits), cases))).toEqual([])
})

it.each([
  ["the schema's place", 'tools[0].function.parameters'],
  ['the tool', 'order'],
])('a schema that is refused by name, as %s, is not blamed', async (_, named) => {
  const edits: Edits = {
    fault: (call, right) =>
      /"type":\["string","null"\]/.test(JSON.stringify(call.body))
        ? refuse(400, 'unsupported', `Cannot read '${named}'.`)
        : right(call),
  }
  const verdicts = await judgeChat(withTools(edits), cases)
  expect(failed(verdicts)).toEqual([])
  expect(verdicts.find(({ id }) => id === 'tools.strict-list')).toMatchObject({ outcome: 'not-applicable' })
})

it('a cut answer is not judged', async () => {
  const verdicts = await judgeChat(withTools({ reason: () => 'length' }), cases)
  expect(failed(verdicts)).toEqual([])
})

it('a service that fails whenever it is given tools is blamed for that, and not for the form of its calls', async () => {
  const edits: Edits = {
    fault: (call, right) =>
      isRecord(call.body) && call.body['tools'] !== undefined
        ? refuse(500, 'server_error', 'It broke.')
        : right(call),
  }
  const verdicts = await judgeChat(withTools(edits), cases)
  expect(redRows(verdicts)).toContain('TOOL-3')
  const outcomes = new Map(verdicts.map(({ id, outcome }) => [id, outcome]))
  for (const id of ['tools.finish-reason-auto', 'tools.finish-reason-auto-streamed', 'tools.fragments'])
    expect([id, outcomes.get(id)]).toEqual([id, 'inconclusive'])
})
