// Each fault turns red the rows that it breaks and no others; what the rows do not judge stays green.
import { describe, expect, it } from 'vitest'
import { parseChatCompletionRequest } from '../../../spec/schemas/parse-request.ts'
import { at, isRecord } from '../../../harness/verify/json-value.ts'
import { cases } from './invalid-bodies.ts'
import { type Fault, inRequest } from '../scripted/scripted-chat.fixture.ts'
import { judgeChat } from '../scripted/judge-scripted-chat.fixture.ts'
import { failed, redRows } from '../scripted/scripted-verdicts.fixture.ts'
import { refuse } from '../scripted/scripted-service.fixture.ts'

type Json = Readonly<Record<string, unknown>>

/** Optional fields that the scripted service refuses by name. */
const LACKING = [
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'metadata',
  'tools',
  'tool_choice',
  'response_format',
]

/** One fault inside another. */
function both(outer: Fault, inner: Fault): Fault {
  return (call, right) => outer(call, (changed) => inner(changed, right))
}

/** Takes every field where its value is right: what it does then is not looked at here. */
const takesAll: Fault = inRequest((body) => {
  const valid = 'request' in parseChatCompletionRequest(body)
  return valid ? without(body, LACKING) : body
})

function without(body: Json, names: readonly string[]): Json {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)))
}

/** Does not look at a field where its value is like this. */
function ignores(field: string, when: (value: unknown, body: Json) => boolean): Fault {
  return both(
    inRequest((body) => (field in body && when(body[field], body) ? without(body, [field]) : body)),
    takesAll,
  )
}

/** Changes the messages before the service reads them. */
function inMessages(edit: (message: Json) => unknown): Fault {
  return inRequest(({ messages, ...rest }) => {
    if (messages === undefined) return rest
    return {
      ...rest,
      messages: Array.isArray(messages)
        ? messages.map((message) => (isRecord(message) ? edit(message) : message))
        : messages,
    }
  })
}

/** A fault that only streamed requests meet. */
function whereStreamed(fault: Fault): Fault {
  return (call, right) => (at(call.body, 'stream') === true ? fault(call, right) : takesAll(call, right))
}

function conversation(messages: readonly unknown[]): Json {
  return { model: 'svc-0.1-echo', messages }
}

const isNumber = (value: unknown): boolean => typeof value === 'number'
const isFraction = (value: unknown): boolean => isNumber(value) && !Number.isInteger(value)
const isLong = (most: number) => (value: unknown) => Array.isArray(value) && value.length > most
const isBadName = (value: unknown): boolean => typeof value === 'string' && !/^[\w-]{1,64}$/.test(value)
const members = (value: unknown): readonly unknown[] => (isRecord(value) ? Object.values(value) : [])

interface Broken {
  readonly fault: Fault
  /** The rows whose text it breaks. */
  readonly rows: readonly string[]
  /** A check that must see it. */
  readonly check: string
}

const broken: Readonly<Record<string, Broken>> = {
  'a model is chosen although none is named': {
    fault: inRequest((body) => ({ model: 'svc-0.1-echo', ...body })),
    rows: ['CHAT-4'],
    check: 'invalid-bodies.missing-member',
  },
  'missing content is empty': {
    fault: inMessages((message) => (message['role'] === 'assistant' ? message : { content: '', ...message })),
    rows: ['CHAT-4'],
    check: 'invalid-bodies.missing-member',
  },
  'a missing member has another code': {
    fault: (call, right) => {
      const given = right(call)
      return {
        ...given,
        body: String(given.body).replace('"code":"invalid_request_error"', '"code":"missing"'),
      }
    },
    rows: ['CHAT-4'],
    check: 'invalid-bodies.missing-member',
  },
  'content of another type is written as text': {
    fault: inMessages((message) => (isRecord(message['content']) ? { ...message, content: '{}' } : message)),
    rows: ['CHAT-5'],
    check: 'invalid-bodies.type-in-messages',
  },
  'calls of earlier messages are not looked at': {
    fault: inMessages(({ tool_calls: calls, ...message }) =>
      calls === undefined ||
      'request' in parseChatCompletionRequest(conversation([{ ...message, tool_calls: calls }]))
        ? { ...message, ...(calls === undefined ? {} : { tool_calls: calls }) }
        : { ...message, content: '' },
    ),
    rows: ['CHAT-5'],
    check: 'invalid-bodies.type-in-messages',
  },
  'a temperature in text is read': {
    fault: ignores('temperature', (value) => typeof value === 'string'),
    rows: ['CHAT-5'],
    check: 'invalid-bodies.type-of-temperature',
  },
  'stop is not looked at': {
    fault: ignores('stop', (value) => !isLong(4)(value)),
    rows: ['CHAT-5'],
    check: 'invalid-bodies.type-of-stop',
  },
  'a wrong type is a 422': {
    fault: (call, right) => (!isNumber(at(call.body, 'top_p') ?? 1) ? refuse(422, 'no', 'No.') : right(call)),
    rows: ['CHAT-5'],
    check: 'invalid-bodies.type-of-top-p',
  },
  'any role is taken': {
    fault: inMessages((message) =>
      String(message['role']).endsWith('_') ? { ...message, role: 'user', content: '' } : message,
    ),
    rows: ['CHAT-6'],
    check: 'invalid-bodies.unknown-role',
  },
  'any kind of tool is taken': {
    fault: ignores(
      'tools',
      (value) => Array.isArray(value) && value.some((tool) => String(at(tool, 'type')).endsWith('_')),
    ),
    rows: ['CHAT-6'],
    check: 'invalid-bodies.unknown-tools',
  },
  ...Object.fromEntries(
    ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'].map((field): [string, Broken] => [
      `any number for ${field} is taken`,
      {
        fault: ignores(field, isNumber),
        rows: ['WIRE-10'],
        check: `invalid-bodies.range-of-${field.replaceAll('_', '-')}`,
      },
    ]),
  ),
  ...Object.fromEntries(
    ['n', 'top_logprobs', 'max_tokens', 'max_completion_tokens'].flatMap((field): [string, Broken][] => [
      [
        `any integer for ${field} is taken`,
        {
          fault: ignores(
            field,
            (value, body) =>
              Number.isInteger(value) && (field !== 'top_logprobs' || body['logprobs'] === true),
          ),
          rows: ['WIRE-10'],
          check: `invalid-bodies.range-of-${field.replaceAll('_', '-')}`,
        },
      ],
      [
        `a fraction for ${field} is taken`,
        {
          fault: ignores(field, isFraction),
          rows: ['WIRE-10'],
          check: `invalid-bodies.integer-${field.replaceAll('_', '-')}`,
        },
      ],
    ]),
  ),
  'any bias is taken': {
    fault: ignores('logit_bias', (value) => isRecord(value) && members(value).every(isNumber)),
    rows: ['WIRE-10'],
    check: 'invalid-bodies.range-of-logit-bias',
  },
  'any number of stop strings is taken': {
    fault: ignores('stop', isLong(4)),
    rows: ['WIRE-10'],
    check: 'invalid-bodies.range-of-stop',
  },
  'any length of metadata is taken': {
    fault: ignores('metadata', (value) => members(value).some((text) => [...String(text)].length > 512)),
    rows: ['WIRE-10'],
    check: 'invalid-bodies.range-of-metadata',
  },
  'any number of tools is taken': {
    fault: ignores('tools', isLong(128)),
    rows: ['WIRE-10'],
    check: 'invalid-bodies.range-of-tools',
  },
  'any name of a function is taken': {
    fault: ignores(
      'tools',
      (value) => Array.isArray(value) && value.some((tool) => isBadName(at(tool, 'function', 'name'))),
    ),
    rows: ['WIRE-10'],
    check: 'invalid-bodies.names-of-functions',
  },
  'top_logprobs without logprobs is taken': {
    fault: ignores(
      'top_logprobs',
      (value, body) =>
        Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 20 && body['logprobs'] !== true,
    ),
    rows: ['WIRE-11'],
    check: 'invalid-bodies.top-logprobs-alone',
  },
  'stream_options without stream is taken': {
    fault: ignores('stream_options', (_, body) => body['stream'] !== true),
    rows: ['WIRE-11'],
    check: 'invalid-bodies.stream-options-alone',
  },
  'a tool that is absent may be chosen': {
    fault: ignores('tool_choice', (value) => at(value, 'function', 'name') === 'not_look_up'),
    rows: ['WIRE-11'],
    check: 'invalid-bodies.tool-choice',
  },
  'an answer to no call is taken': {
    fault: inMessages((message) =>
      message['tool_call_id'] === 'call_never_made' ? { role: 'user', content: '' } : message,
    ),
    rows: ['WIRE-11'],
    check: 'invalid-bodies.answer-without-call',
  },
  'an empty message of the assistant is taken': {
    fault: inMessages((message) =>
      message['role'] === 'assistant' ? { ...message, content: message['content'] ?? '' } : message,
    ),
    rows: ['WIRE-11'],
    check: 'invalid-bodies.empty-assistant',
  },
  'streamed requests are not validated': {
    fault: whereStreamed(
      inRequest(({ model, stream }) => ({ model, stream, messages: [{ role: 'user', content: '' }] })),
    ),
    rows: ['STREAM-13'],
    check: 'invalid-bodies.streamed-chat',
  },
  'a later role may be missing in a stream': {
    fault: whereStreamed(
      inRequest((body) =>
        isRecord(at(body, 'messages', 1)) && at(body, 'messages', 1, 'role') === undefined
          ? { ...body, messages: [{ role: 'user', content: '' }] }
          : body,
      ),
    ),
    rows: ['STREAM-13'],
    check: 'invalid-bodies.streamed-missing',
  },
  'ranges of streamed requests are not looked at': {
    fault: whereStreamed(ignores('temperature', isNumber)),
    rows: ['STREAM-13'],
    check: 'invalid-bodies.streamed-ranges',
  },
  'broken JSON is repaired in a stream': {
    fault: (call, right) =>
      call.body === undefined && call.raw.includes('"stream":true')
        ? right({ ...call, body: { model: 'svc-0.1-echo', messages: [{ role: 'user', content: '' }] } })
        : right(call),
    rows: ['STREAM-13'],
    check: 'invalid-bodies.streamed-truncated',
  },
}

/** Behaviour that the rows do not judge. */
const allowed: Readonly<Record<string, Fault>> = {
  'limits of zero tokens, empty lists, any seed, null anywhere': [
    ignores('max_tokens', (value) => value === 0),
    ignores('max_completion_tokens', (value) => value === 0),
    ignores('tools', (value) => at(value, 'length') === 0),
    ignores('stop', (value) => Array.isArray(value) && value.length === 0),
    ignores('seed', Number.isInteger),
    inRequest((body) =>
      without(
        body,
        Object.keys(body).filter((name) => body[name] === null),
      ),
    ),
  ].reduce(both),
  'any name of a participant': inMessages((message) =>
    isBadName(message['name']) && message['role'] !== 'function' ? { ...message, name: 'anna' } : message,
  ),
  'any code, if no member is missing': (call, right) => {
    const given = right(call)
    return {
      ...given,
      body: String(given.body).replace(/"code":"(?!invalid_request_error)\w+"/, '"code":"no"'),
    }
  },
}

/** The checks that a fault in this check's field could turn red, and those that look at all fields at once. */
function near(check: string, rows: readonly string[]): typeof cases {
  const field = check.replace(/^.*\.(range-of-|type-of-|integer-|unknown-)?/, '')
  const wide = new Set(['CHAT-4', 'WIRE-11', ...rows, ...(field === 'temperature' ? ['STREAM-13'] : [])])
  return cases.filter(({ id, requirement }) => id.includes(field) || wide.has(requirement))
}

describe('faults', () => {
  it.each(Object.entries(broken))('%s', async (_, { fault, rows, check }) => {
    const verdicts = await judgeChat(both(fault, takesAll), near(check, rows), { runs: 80 })
    expect(redRows(verdicts)).toEqual(rows)
    expect(failed(verdicts)).toContain(check)
  })
})

describe('allowed', () => {
  it.each(Object.entries(allowed))('%s', async (_, fault) => {
    const verdicts = await judgeChat(both(fault, takesAll), cases, { runs: 80 })
    expect(verdicts.filter(({ outcome }) => outcome !== 'pass')).toEqual([])
  })

  it('fields that are refused by name', async () => {
    const verdicts = await judgeChat(undefined, cases, { runs: 10 })
    expect(failed(verdicts)).toEqual([])
    expect(verdicts.find(({ id }) => id === 'invalid-bodies.range-of-tools')?.outcome).toBe('not-applicable')
    expect(verdicts.find(({ id }) => id === 'invalid-bodies.range-of-temperature')?.outcome).toBe('pass')
  })
})
