// Each fault turns red the rows that it breaks and no others; what the rows allow stays green.
import { describe, expect, it } from 'vitest'
import { at, isRecord } from '../../../harness/verify/json-value.ts'
import {
  type Fault,
  inChoices,
  inChunks,
  inCompletion,
  inRequest,
  isStream,
  stream,
} from '../scripted/scripted-chat.fixture.ts'
import { judgeChat } from '../scripted/judge-scripted-chat.fixture.ts'
import { failed, notPassed, redRows } from '../scripted/scripted-verdicts.fixture.ts'
import { refuse } from '../scripted/scripted-service.fixture.ts'
import { completionCases, completionObservers as observers } from './completion.ts'
import { fieldCases } from './fields.ts'
import { nullCases } from './nulls.ts'
import { stopCases } from './stop.ts'
import { tokenLimitCases } from './token-limits.ts'
import { unsupportedCases } from './unsupported.ts'
import { usageCases } from './usage.ts'

const cases = [
  ...completionCases,
  ...fieldCases,
  ...tokenLimitCases,
  ...stopCases,
  ...nullCases,
  ...unsupportedCases,
  ...usageCases.filter(({ id }) => id === 'wire.usage-counts'),
]

type Json = Record<string, unknown>

interface Broken {
  readonly fault: Fault
  /** The rows whose text it breaks. */
  readonly rows: readonly string[]
  /** A check that must see it. */
  readonly check: string
}

function without(json: Json, name: string): Json {
  return Object.fromEntries(Object.entries(json).filter(([member]) => member !== name))
}

/** A request as if it had no such field. */
function ignores(...fields: readonly string[]): Fault {
  return inRequest((body) => fields.reduce(without, body))
}

/** A plain answer with other members. */
function completionWith(members: Json): Fault {
  return inCompletion((completion) => ({ ...completion, ...members }))
}

function choicesWith(members: Json): Fault {
  return inChoices((choice) => ({ ...choice, ...members }))
}

function usageWith(members: Json): Fault {
  return inCompletion((completion) => ({
    ...completion,
    usage: { ...Object(completion['usage']), ...members },
  }))
}

/** Answers whatever has this field as `edit` says, instead of refusing it. */
function takes(field: string, edit: (completion: Json) => Json): Fault {
  return (call, right) => {
    if (!isRecord(call.body) || (call.body[field] ?? null) === null) return right(call)
    const { stream: streamed, ...body } = call.body
    const taken = inCompletion(edit)({ ...call, body }, (given) =>
      ignores(field, 'tool_choice')(given, right),
    )
    return streamed === true && taken.status === 200 ? asStream(JSON.parse(String(taken.body))) : taken
  }
}

/** A completion as an event stream: each choice in one delta, and its end. */
function asStream({ choices, ...head }: Json): ReturnType<typeof stream> {
  const own = [choices].flat().map((choice): Json => Object(choice))
  const record = (index: unknown, delta: unknown, reason: unknown): string => {
    const parts = [{ index, delta, finish_reason: reason }]
    return JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: parts })
  }
  const deltas = own.map(({ index, message }) => {
    const { tool_calls: calls, ...rest }: Json = Object(message)
    const fragments = [calls ?? []].flat().map((call, at) => Object.assign({}, call, { index: at }))
    return record(index, fragments.length === 0 ? rest : { ...rest, tool_calls: fragments }, null)
  })
  return stream([...deltas, ...own.map((end) => record(end['index'], {}, end['finish_reason'])), '[DONE]'])
}

/** Changes the refusals that name this field. */
function refusing(field: string, other: ReturnType<typeof refuse>): Fault {
  return (call, right) => {
    const given = right(call)
    const names = given.status === 400 && String(given.body).includes(`"param":"${field}`)
    return names ? other : given
  }
}

function contentWith(content: unknown): (completion: Json) => Json {
  return (completion) => ({
    ...completion,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
  })
}

/** An echo whose tokens are cut in another way: `edit` gets the choices of a request with this field. */
function whereSet(field: string, edit: (choice: Json, value: unknown) => Json): Fault {
  return (call, right) => {
    const value = at(call.body, field) ?? null
    return value === null ? right(call) : inChoices((choice) => edit(choice, value))(call, right)
  }
}

function withText(choice: Json, content: string): Json {
  return { ...choice, message: { role: 'assistant', content } }
}

const textOf = (choice: Json): string => String(at(choice, 'message', 'content'))
const askedText = (body: unknown): string => String(at(body, 'messages', 0, 'content'))
let count = 0

const broken: Readonly<Record<string, Broken>> = {
  'no id': { fault: inCompletion((body) => without(body, 'id')), rows: ['WIRE-1'], check: 'wire.id' },
  'an id that is a number': {
    fault: inCompletion((body) => ({ ...body, id: count++ })),
    rows: ['WIRE-1'],
    check: 'wire.id',
  },
  'object is a chunk': {
    fault: completionWith({ object: 'chat.completion.chunk' }),
    rows: ['WIRE-1'],
    check: 'wire.object',
  },
  'created in milliseconds': {
    fault: inCompletion((body) => ({ ...body, created: Date.now() })),
    rows: ['WIRE-1'],
    check: 'wire.created',
  },
  'created is a fraction': {
    fault: inCompletion((body) => ({ ...body, created: Math.floor(Date.now() / 1000) + 0.5 })),
    rows: ['WIRE-1'],
    check: 'wire.created',
  },
  'created long ago': {
    fault: completionWith({ created: 1_700_000_000 }),
    rows: ['WIRE-1'],
    check: 'wire.created',
  },
  'no model': {
    fault: inCompletion((body) => without(body, 'model')),
    rows: ['WIRE-1'],
    check: 'wire.model',
  },
  'choices are an object': {
    fault: inCompletion((body) => ({ ...body, choices: { 0: at(body, 'choices', 0) } })),
    rows: ['WIRE-1', 'WIRE-6'],
    check: 'wire.choices',
  },
  'choices count from 1': {
    fault: inChoices((choice) => ({ ...choice, index: Number(choice['index']) + 1 })),
    rows: ['WIRE-2'],
    check: 'wire.choice-index',
  },
  'all choices have the index 0': {
    fault: choicesWith({ index: 0 }),
    rows: ['WIRE-2'],
    check: 'wire.choice-indexes',
  },
  'a message without role': {
    fault: inChoices((choice) => ({ ...choice, message: { content: textOf(choice) } })),
    rows: ['WIRE-2'],
    check: 'wire.role',
  },
  'no finish reason': {
    fault: choicesWith({ finish_reason: null }),
    rows: ['WIRE-2', 'WIRE-7', 'WIRE-8'],
    check: 'wire.finish-reason',
  },
  'logprobs are a list': { fault: choicesWith({ logprobs: [] }), rows: ['WIRE-2'], check: 'wire.logprobs' },
  'total_tokens is not the sum': {
    fault: usageWith({ total_tokens: 1 }),
    rows: ['WIRE-3'],
    check: 'wire.usage-counts',
  },
  'usage without completion_tokens': {
    fault: inCompletion((body) => ({ ...body, usage: { prompt_tokens: 7, total_tokens: 7 } })),
    rows: ['WIRE-3'],
    check: 'wire.usage-counts',
  },
  'counts are text': {
    fault: completionWith({ usage: { prompt_tokens: '1', completion_tokens: '1', total_tokens: '2' } }),
    rows: ['WIRE-3'],
    check: 'wire.usage-counts',
  },
  'always the same id': {
    fault: completionWith({ id: 'chatcmpl-1' }),
    rows: ['WIRE-4'],
    check: 'wire.ids-differ',
  },
  'always the same id in streams': {
    fault: inChunks((chunk) => [{ ...chunk, id: 'chatcmpl-1' }]),
    rows: ['WIRE-4'],
    check: 'wire.stream-ids-differ',
  },
  'answers are text/plain': {
    fault: (call, right) => ({ ...right(call), headers: { 'content-type': 'text/plain' } }),
    rows: ['WIRE-5'],
    check: 'wire.content-type',
  },
  'refusals are text/html': {
    fault: (call, right) => {
      const given = right(call)
      return given.status < 400 ? given : { ...given, headers: { 'content-type': 'text/html' } }
    },
    rows: ['WIRE-5'],
    check: 'wire.every-content-type',
  },
  'n is ignored': { fault: ignores('n'), rows: ['WIRE-12', 'WIRE-6'], check: 'wire.n-2' },
  'one choice too many': {
    fault: inRequest((body) => (body['n'] === 3 ? { ...body, n: 4 } : body)),
    rows: ['WIRE-6'],
    check: 'wire.n-3',
  },
  'max_tokens is ignored': {
    fault: ignores('max_tokens'),
    rows: ['WIRE-12', 'WIRE-7'],
    check: 'wire.max-tokens-bound',
  },
  'max_completion_tokens is ignored': {
    fault: ignores('max_completion_tokens'),
    rows: ['WIRE-12', 'WIRE-7'],
    check: 'wire.max-completion-tokens-not-ignored',
  },
  'max_completion_tokens is ignored, and the answer is short': {
    fault: takes('max_completion_tokens', (completion) => ({
      ...contentWith('One two three four five.')(completion),
      usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
    })),
    rows: ['WIRE-12', 'WIRE-7'],
    check: 'wire.max-completion-tokens-not-ignored',
  },
  'one token too many': {
    fault: inRequest((body) =>
      typeof body['max_tokens'] === 'number' ? { ...body, max_tokens: body['max_tokens'] + 1 } : body,
    ),
    rows: ['WIRE-7'],
    check: 'wire.max-tokens-bound',
  },
  'a cut answer ends with stop': {
    fault: choicesWith({ finish_reason: 'stop' }),
    rows: ['WIRE-7'],
    check: 'wire.max-tokens-length',
  },
  'stop is ignored': { fault: ignores('stop'), rows: ['WIRE-12', 'WIRE-8'], check: 'wire.stop-not-ignored' },
  'the stop string is returned': {
    fault: whereSet('stop', (choice, stop) => withText(choice, textOf(choice) + [stop].flat()[0])),
    rows: ['WIRE-8'],
    check: 'wire.stop-word',
  },
  'of a list the first stop string counts': {
    fault: inRequest((body) => (Array.isArray(body['stop']) ? { ...body, stop: body['stop'][0] } : body)),
    rows: ['WIRE-8'],
    check: 'wire.stop-four',
  },
  'the stop string is a pattern': {
    fault: inRequest((body) => {
      const [found] =
        typeof body['stop'] === 'string' ? (new RegExp(body['stop']).exec(askedText(body)) ?? []) : []
      return found === undefined ? body : { ...body, stop: found }
    }),
    rows: ['WIRE-8'],
    check: 'wire.stop-pattern',
  },
  'white space before a stop string is lost': {
    fault: whereSet('stop', (choice) => withText(choice, textOf(choice).trimEnd())),
    rows: ['WIRE-8'],
    check: 'wire.stop-word',
  },
  'a stopped answer ends with length': {
    fault: whereSet('stop', (choice) => ({ ...choice, finish_reason: 'length' })),
    rows: ['WIRE-8'],
    check: 'wire.stop-finish-reason',
  },
  'response_format is ignored': {
    fault: ignores('response_format'),
    rows: ['WIRE-12'],
    check: 'wire.json-object-not-ignored',
  },
  'response_format is ignored, and every answer to it is called cut': {
    fault: takes('response_format', (completion) => ({
      ...completion,
      choices: [
        { index: 0, message: { role: 'assistant', content: 'JSON stands' }, finish_reason: 'length' },
      ],
    })),
    rows: ['WIRE-12'],
    check: 'wire.json-object-not-ignored',
  },
  'a schema is taken for any JSON': {
    fault: takes('response_format', contentWith('{"a":1}')),
    rows: ['WIRE-12'],
    check: 'wire.json-schema-not-ignored',
  },
  'tools are ignored': {
    fault: ignores('tools', 'tool_choice'),
    rows: ['WIRE-12'],
    check: 'wire.tools-not-ignored',
  },
  'logprobs is ignored': {
    fault: ignores('logprobs'),
    rows: ['WIRE-12'],
    check: 'wire.logprobs-not-ignored',
  },
  'stream_options is ignored': {
    fault: ignores('stream_options'),
    rows: ['WIRE-12'],
    check: 'wire.stream-options-not-ignored',
  },
  'media parts are ignored': {
    fault: inRequest((body) =>
      Array.isArray(at(body, 'messages', 0, 'content'))
        ? { ...body, messages: [{ role: 'user', content: 'Hi.' }] }
        : body,
    ),
    rows: ['WIRE-12'],
    check: 'wire.image-part-not-ignored',
  },
  'tools are refused without a name': {
    fault: refusing('tools', refuse(400, 'no', 'This is not possible.')),
    rows: ['WIRE-12'],
    check: 'wire.tools-not-ignored',
  },
  'logprobs are refused with 501': {
    fault: refusing('logprobs', refuse(501, 'no', 'There are no logprobs.', { param: 'logprobs' })),
    rows: ['WIRE-12'],
    check: 'wire.logprobs-not-ignored',
  },
  'null for n is refused': {
    fault: (call, right) =>
      at(call.body, 'n') === null ? refuse(400, 'no', 'No.', { param: 'n' }) : right(call),
    rows: ['WIRE-13'],
    check: 'wire.null-n',
  },
  'null for max_tokens is one': {
    fault: inRequest((body) => (body['max_tokens'] === null ? { ...body, max_tokens: 1 } : body)),
    rows: ['WIRE-13'],
    check: 'wire.null-max-tokens',
  },
  'null for stream is true': {
    fault: inRequest((body) => (body['stream'] === null ? { ...body, stream: true } : body)),
    rows: ['WIRE-13'],
    check: 'wire.null-stream',
  },
  'null for logit_bias is a crash': {
    fault: (call, right) => (at(call.body, 'logit_bias') === null ? refuse(500, 'no', 'No.') : right(call)),
    rows: ['WIRE-13'],
    check: 'wire.null-logit-bias',
  },
  'seed is ignored': {
    fault: whereSet('seed', (choice) => withText(choice, `${textOf(choice)} ${count++}`)),
    rows: ['WIRE-14'],
    check: 'wire.same-seed',
  },
  'no usage': {
    fault: inCompletion((body) => without(body, 'usage')),
    rows: ['WIRE-22'],
    check: 'wire.usage-present',
  },
  'unknown fields are ignored': {
    fault: ignores('touchstone_unknown'),
    rows: ['WIRE-23'],
    check: 'wire.unknown-field',
  },
  'unknown fields are refused without a name': {
    fault: refusing('touchstone_unknown', refuse(400, 'no', 'There is an unknown member.')),
    rows: ['WIRE-23'],
    check: 'wire.unknown-field',
  },
}

/** Refuses a field by name, whatever its value. */
function lacks(field: string): Fault {
  return (call, right) =>
    isRecord(call.body) && field in call.body
      ? refuse(400, 'unsupported', `'${field}' is not supported.`)
      : right(call)
}

/** Answers that the rows allow beside the usual ones, and the checks that do not apply to them. */
const allowed: Readonly<Record<string, { readonly fault: Fault; readonly without?: RegExp }>> = {
  'the right service': { fault: (call, right) => right(call) },
  'members that the format lacks': {
    fault: completionWith({ moderation: null, system_fingerprint: 'x', extra: [1] }),
  },
  'no logprobs': { fault: inChoices((choice) => without(choice, 'logprobs')) },
  'an empty text that is null': {
    fault: inChoices((choice) =>
      textOf(choice) === '' ? { ...choice, message: { role: 'assistant', content: null } } : choice,
    ),
  },
  'another name for the model': { fault: completionWith({ model: 'svc-0.1-echo-2026-11-21' }) },
  'JSON with a charset': {
    fault: (call, right) => {
      const given = right(call)
      return isStream(given)
        ? given
        : { ...given, headers: { 'content-type': 'application/json; charset=utf-8' } }
    },
  },
  'response_format is obeyed': { fault: takes('response_format', contentWith('{"touchstone":1}')) },
  'tools are called': {
    fault: takes('tools', (completion) => ({
      ...completion,
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look_up', arguments: '{}' } }],
          },
          finish_reason: 'tool_calls',
        },
      ],
    })),
  },
  'a limit of tokens that is reached exactly ends with stop': {
    fault: inChoices((choice) =>
      textOf(choice).length === 1 ? { ...choice, finish_reason: 'stop' } : choice,
    ),
  },
  'n is refused by name': {
    fault: lacks('n'),
    without: /^wire\.(n-\d|choice-indexes|null-n|text-of-each-choice)$/,
  },
  'more than two choices are refused by name': {
    fault: (call, right) =>
      Number(at(call.body, 'n')) > 2 ? refuse(400, 'no', "Field 'n' must be between 1 and 2.") : right(call),
    without: /^wire\.(n-3|choice-indexes|text-of-each-choice)$/,
  },
  'stop is refused by name': { fault: lacks('stop'), without: /^wire\.(stop-.*|null-stop)$/ },
  'token limits are refused by name': {
    fault: (call, right) =>
      lacks('max_tokens')(call, (inner) => lacks('max_completion_tokens')(inner, right)),
    without: /^wire\.(null-)?max-/,
  },
  'seed and temperature are refused by name': {
    fault: (call, right) => lacks('seed')(call, (inner) => lacks('temperature')(inner, right)),
    without: /^wire\.(null-(seed|temperature)|same-seed)$/,
  },
  'stream_options is refused by name': {
    fault: lacks('stream_options'),
    without: /^wire\.null-stream-options$/,
  },
}

describe('faults', () => {
  it.each(Object.entries(broken))('%s', async (_, { fault, rows, check }) => {
    const verdicts = await judgeChat(fault, cases, { observers, runs: 10 })
    expect(redRows(verdicts)).toEqual(rows)
    expect(failed(verdicts)).toContain(check)
  })
})

/** Schemas and tools, which the scripted service refuses by name. */
const NEEDS_MORE = /^wire\.null-strict-in-/

describe('allowed', () => {
  it.each(Object.entries(allowed))('%s', async (_, { fault, without: others }) => {
    const verdicts = await judgeChat(fault, cases, { observers, runs: 10 })
    const skipped = verdicts.filter(({ outcome }) => outcome === 'not-applicable').map(({ id }) => id)
    expect(skipped.filter((id) => !others?.test(id) && !NEEDS_MORE.test(id))).toEqual([])
    expect(notPassed(verdicts.filter(({ outcome }) => outcome !== 'not-applicable'))).toEqual([])
  })
})

it('an answer that was cut shows neither that a field was ignored nor that it was not', async () => {
  const cut = takes('response_format', (completion) => ({
    ...completion,
    choices: [{ index: 0, message: { role: 'assistant', content: '{"touch' }, finish_reason: 'length' }],
  }))
  expect(notPassed(await judgeChat(cut, unsupportedCases))).toEqual([
    expect.stringMatching(/^wire\.json-object-not-ignored: inconclusive/),
    expect.stringMatching(/^wire\.json-object-not-ignored-streamed: inconclusive/),
    expect.stringMatching(/^wire\.json-schema-not-ignored: inconclusive/),
    expect.stringMatching(/^wire\.json-schema-not-ignored-streamed: inconclusive/),
  ])
})

it('a tier that is taken and not reported', async () => {
  const silent = both(
    inCompletion((body) => without(body, 'service_tier')),
    inChunks((chunk) => [without(chunk, 'service_tier')]),
  )
  const verdicts = await judgeChat(silent, fieldCases)
  expect(failed(verdicts)).toEqual(['wire.service-tier-reported', 'wire.service-tier-reported-streamed'])
})

it('null that is refused where it is streamed', async () => {
  const strict: Fault = (call, right) =>
    at(call.body, 'stream') === true && at(call.body, 'stop') === null
      ? refuse(400, 'no', 'No null.')
      : right(call)
  expect(failed(await judgeChat(strict, nullCases))).toEqual(['wire.nulls-streamed'])
})

it('the text of a later choice is another', async () => {
  const other = inCompletion((body) => ({
    ...body,
    choices: [body['choices']]
      .flat()
      .map((choice, place) => (place === 2 ? withText(Object(choice), 'x') : choice)),
  }))
  expect(failed(await judgeChat(other, fieldCases))).toEqual(['wire.text-of-each-choice'])
})

/** One fault inside another. */
function both(outer: Fault, inner: Fault): Fault {
  return (call, right) => outer(call, (changed) => inner(changed, right))
}
