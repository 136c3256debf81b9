// Each fault in the forms of messages and of answers in JSON turns red its row and no other (WIRE-9, WIRE-17, WIRE-18);
// what the rows allow stays green.
import { describe, expect, it } from 'vitest'
import { at, isRecord } from '../../../harness/verify/json-value.ts'
import { type Fault, inChunks, inCompletion, inRequest } from '../scripted/scripted-chat.fixture.ts'
import { judgeChat } from '../scripted/judge-scripted-chat.fixture.ts'
import { failed, redRows } from '../scripted/scripted-verdicts.fixture.ts'
import { refuse } from '../scripted/scripted-service.fixture.ts'
import { jsonCases } from './json.ts'
import { messageCases } from './messages.ts'

type Json = Record<string, unknown>

/** The one object that the strict schemas of the cases all allow in their own form, by the name of the schema. */
const VALUES: Readonly<Record<string, unknown>> = {
  touchstone_flat: { amount: 2, unit: 'kg' },
  touchstone_nested: { place: { name: 'hall', floor: 1 }, open: true },
  touchstone_list: { words: ['stone'], comment: null },
}

/** Answers a request with `response_format` with this text, plain and streamed; other requests as they are. */
function inJson(text: (format: Json) => string, reason = 'stop'): Fault {
  return (call, right) => {
    const format = at(call.body, 'response_format')
    if (!isRecord(format)) return right(call)
    const content = text(format)
    const ignoring = inRequest((body) =>
      Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'response_format')),
    )
    const plain = inCompletion((completion) => ({
      ...completion,
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: reason }],
    }))
    const streamed = inChunks((chunk, place, last) => {
      const choice = (delta: object, finish_reason: string | null = null) => [
        { ...chunk, choices: [{ index: 0, delta, finish_reason }] },
      ]
      if (place === 0) return choice({ role: 'assistant', content })
      return place === last ? choice({}, reason) : []
    })
    return plain(call, (inner) => streamed(inner, (other) => ignoring(other, right)))
  }
}

function valueOf(format: Json): unknown {
  return VALUES[String(at(format, 'json_schema', 'name'))] ?? { any: 'object' }
}

const right: Fault = inJson((format) => JSON.stringify(valueOf(format)))
const isSchema = (format: Json): boolean => format['type'] === 'json_schema'

/** Mutates the answers to one kind of format alone. */
function mutated(schema: boolean, text: (value: string) => string): Fault {
  return inJson((format) => {
    const value = JSON.stringify(valueOf(format))
    return isSchema(format) === schema ? text(value) : value
  })
}

const mutatedJson: Readonly<Record<string, { fault: Fault; rows: readonly string[]; check: string }>> = {
  'prose around an object': {
    fault: mutated(false, (value) => `Here it is: ${value}`),
    rows: ['WIRE-17'],
    check: 'wire.json-object',
  },
  'an object in a fence of Markdown': {
    fault: mutated(false, (value) => `\`\`\`json\n${value}\n\`\`\``),
    rows: ['WIRE-17'],
    check: 'wire.json-object-streamed',
  },
  'a list is no object': { fault: mutated(false, () => '[1]'), rows: ['WIRE-17'], check: 'wire.json-object' },
  'an object that ends too soon': {
    fault: mutated(false, (value) => value.slice(0, -1)),
    rows: ['WIRE-17'],
    check: 'wire.json-object-any-text',
  },
  'a member too many for the schema': {
    fault: mutated(true, (value) => value.replace(/\}$/, ',"why":"so"}')),
    rows: ['WIRE-18'],
    check: 'wire.json-schema-flat',
  },
  'an object without the members of the schema': {
    fault: mutated(true, () => '{}'),
    rows: ['WIRE-18'],
    check: 'wire.json-schema-nested-streamed',
  },
  'a value outside the list of the schema': {
    fault: mutated(true, (value) => value.replaceAll(/"stone"|"kg"/g, '"pebble"')),
    rows: ['WIRE-18'],
    check: 'wire.json-schema-list',
  },
  'a number as text': {
    fault: mutated(true, (value) => value.replaceAll(/:(\d+)/g, ':"$1"')),
    rows: ['WIRE-18'],
    check: 'wire.json-schema-flat-streamed',
  },
  'no JSON where there is a schema': {
    fault: mutated(true, () => 'A stone.'),
    rows: ['WIRE-18'],
    check: 'wire.json-schema-list-streamed',
  },
}

const allowedJson: Readonly<Record<string, Fault>> = {
  'the right service': right,
  'white space around the object': inJson((format) => `\n ${JSON.stringify(valueOf(format), null, 4)}\n`),
}

describe('answers in JSON', () => {
  it.each(Object.entries(mutatedJson))('%s', async (_, { fault, rows, check }) => {
    const verdicts = await judgeChat(fault, jsonCases, { runs: 3 })
    expect(redRows(verdicts)).toEqual(rows)
    expect(failed(verdicts)).toContain(check)
  })

  it.each(Object.entries(allowedJson))('%s', async (_, fault) => {
    const verdicts = await judgeChat(fault, jsonCases, { runs: 3 })
    expect(new Set(verdicts.map(({ outcome }) => outcome))).toEqual(new Set(['pass']))
  })

  it.each(['length', 'content_filter'])('an answer that ends with %s is not judged', async (reason) => {
    const verdicts = await judgeChat(
      inJson(() => '{"cut', reason),
      jsonCases,
      { runs: 3 },
    )
    expect(new Set(verdicts.map(({ outcome }) => outcome))).toEqual(new Set(['inconclusive']))
  })

  it('a service that refuses response_format by name is not judged by it', async () => {
    const verdicts = await judgeChat(undefined, jsonCases, { runs: 3 })
    expect(new Set(verdicts.map(({ outcome }) => outcome))).toEqual(new Set(['not-applicable']))
  })
})

/** Refuses a request with a message of which this holds, naming nothing that is a capability. */
function refusing(holds: (message: Json) => boolean): Fault {
  return (call, next) => {
    const messages = at(call.body, 'messages')
    const found = Array.isArray(messages) && messages.some((message) => isRecord(message) && holds(message))
    return found ? refuse(400, 'no', 'This is not taken.', { param: 'messages' }) : next(call)
  }
}

const is = (role: string) => (message: Json) => message['role'] === role
const hasParts = (message: Json): boolean => Array.isArray(message['content'])
const calls = (message: Json): boolean => Array.isArray(message['tool_calls'])

const refusedForms: Readonly<Record<string, { fault: Fault; checks: readonly string[] }>> = {
  'no system': { fault: refusing(is('system')), checks: ['system', 'system-parts'] },
  'no parts of a user': {
    fault: refusing((message) => is('user')(message) && hasParts(message)),
    checks: ['user-parts'],
  },
  'no assistant without calls': {
    fault: refusing(
      (message) => is('assistant')(message) && !calls(message) && typeof message['content'] === 'string',
    ),
    checks: ['assistant'],
  },
  'no parts of an assistant': {
    fault: refusing(
      (message) =>
        is('assistant')(message) && hasParts(message) && !JSON.stringify(message).includes('refusal'),
    ),
    checks: ['assistant-parts'],
  },
  'no null beside calls': {
    fault: refusing((message) => calls(message) && message['content'] === null),
    checks: ['call-null-content', 'result-parts'],
  },
  'calls need content': {
    fault: refusing((message) => calls(message) && !('content' in message)),
    checks: ['call-absent-content'],
  },
  'no text beside calls': {
    fault: refusing((message) => calls(message) && typeof message['content'] === 'string'),
    checks: ['call-text-content'],
  },
  'no parts of a result': {
    fault: refusing((message) => is('tool')(message) && hasParts(message)),
    checks: ['result-parts'],
  },
}

/** Refuses an assistant's message that has one of these members as the official libraries send it back. */
const refusedReplays: Readonly<Record<string, (message: Json) => boolean>> = {
  'tool_calls that are null': (message) => message['tool_calls'] === null,
  annotations: (message) => 'annotations' in message,
  'audio that is null': (message) => message['audio'] === null,
  'function_call that is null': (message) => message['function_call'] === null,
}

describe('forms of a message', () => {
  it.each(Object.entries(refusedReplays))('an answer sent back: no %s', async (_, holds) => {
    const verdicts = await judgeChat(refusing(holds), messageCases)
    expect(redRows(verdicts)).toEqual(['WIRE-24'])
    expect(failed(verdicts)).toContain('wire.replayed-answer')
  })

  it('names are a capability', async () => {
    const verdicts = await judgeChat(
      refusing((message) => 'name' in message && is('user')(message)),
      messageCases,
    )
    expect(failed(verdicts)).toEqual([])
    expect(verdicts.find(({ id }) => id === 'wire.message-user-name')?.outcome).toBe('not-applicable')
  })

  it('a part that is not read', async () => {
    const drops = inRequest(({ messages, ...rest }) => ({
      ...rest,
      messages: [messages].flat().map((message) => {
        const content = at(message, 'content')
        return Array.isArray(content) ? Object.assign({}, message, { content: content.slice(0, 2) }) : message
      }),
    }))
    expect(failed(await judgeChat(drops, messageCases))).toContain('wire.parts-all-read')
  })

  it.each(Object.entries(refusedForms))('%s', async (_, { fault, checks }) => {
    expect(failed(await judgeChat(fault, messageCases))).toEqual(
      checks.map((check) => `wire.message-${check}`),
    )
  })

  it('the right service takes them all, and media that it refuses by name are not applicable', async () => {
    const verdicts = await judgeChat(undefined, messageCases)
    const others = verdicts.filter(({ outcome }) => outcome !== 'pass')
    expect(others.map(({ id, outcome }) => [id, outcome])).toEqual(
      ['image-url', 'input-audio', 'file'].map((name) => [`wire.message-${name}`, 'not-applicable']),
    )
  })
})
