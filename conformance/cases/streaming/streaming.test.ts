// Each fault turns red the rows that it breaks and no others; what the rows allow stays green.
import { describe, expect, it } from 'vitest'
import { at } from '../../../harness/verify/json-value.ts'
import {
  type Fault,
  KEY,
  inCompletion,
  inChunks,
  inRecords,
  inRequest,
  inStream,
  isStream,
  stream,
} from '../scripted/scripted-chat.fixture.ts'
import { judgeChat } from '../scripted/judge-scripted-chat.fixture.ts'
import { failed, redRows } from '../scripted/scripted-verdicts.fixture.ts'
import { refuse } from '../scripted/scripted-service.fixture.ts'
import { STREAM_PROMPT } from './answers.ts'
import { cases, observers } from './streaming.ts'

interface Broken {
  readonly fault: Fault
  /** The rows whose text it breaks. */
  readonly rows: readonly string[]
  /** A check that must see it. */
  readonly check: string
}

type Json = Record<string, unknown>

/** Changes the only choice of each chunk that has one. */
function inChoice(edit: (choice: Json, place: number) => Json): Fault {
  return inChunks((chunk, place) => {
    const choices = chunk['choices']
    return [
      { ...chunk, choices: Array.isArray(choices) ? choices.map((choice) => edit(choice, place)) : choices },
    ]
  })
}

/** Changes the delta of each choice that has one. */
function inDelta(edit: (delta: Json, choice: Json) => Json): Fault {
  return inChoice((choice) => ({ ...choice, delta: edit({ ...Object(choice['delta']) }, choice) }))
}

function without(json: Json, name: string): Json {
  return Object.fromEntries(Object.entries(json).filter(([member]) => member !== name))
}

const isUsage = (chunk: Json): boolean => at(chunk, 'usage', 'total_tokens') !== undefined
const isFinish = (chunk: Json): boolean => at(chunk, 'choices', 0, 'finish_reason') === 'stop'
const wantsUsage = (body: unknown): boolean => at(body, 'stream_options', 'include_usage') === true
const failure = JSON.stringify({
  error: { message: 'It failed.', type: 'api_error', code: 'internal_error' },
})

/** A stream that fails in its middle, which ends as `end` says. */
function failing(end: (records: readonly string[]) => string): Fault {
  return inStream((text) => {
    const records = text
      .split('\n\n')
      .filter((block) => block !== '' && !block.includes('[DONE]'))
      .slice(0, 3)
    return `${records.join('\n\n')}\n\n${end(records)}`
  })
}

const broken: Readonly<Record<string, Broken>> = {
  'a stream is JSON lines': {
    fault: (call, right) => {
      const given = right(call)
      if (!isStream(given)) return given
      return { ...given, body: String(given.body).replaceAll(/data: |\n(?=\n)/g, '') }
    },
    rows: ['STREAM-1', 'STREAM-2'],
    check: 'stream.json-records',
  },
  'stream is ignored': {
    fault: (call, right) =>
      right({ ...call, body: { ...Object(call.body), stream: false, stream_options: null } }),
    rows: ['STREAM-1'],
    check: 'stream.status-and-type',
  },
  'streams are refused': {
    fault: (call, right) => {
      const given = right(call)
      return isStream(given) ? refuse(400, 'no', 'No.', { param: 'stream' }) : given
    },
    rows: ['STREAM-1'],
    check: 'stream.status-and-type',
  },
  'the type is application/json': {
    fault: (call, right) => {
      const given = right(call)
      return isStream(given) ? { ...given, headers: { 'content-type': 'application/json' } } : given
    },
    rows: ['STREAM-1'],
    check: 'stream.status-and-type',
  },
  'no blank lines between records': {
    fault: inStream((text) => `${text.trimEnd().replaceAll('\n\n', '\n')}\n\n`),
    rows: ['STREAM-1'],
    check: 'stream.json-records',
  },
  'no blank line behind the last record': {
    fault: inStream((text) => text.replace(/\n\n$/, '\n')),
    rows: ['STREAM-1'],
    check: 'stream.last-record-ended',
  },
  'a record is not JSON': {
    fault: inRecords(([first = '', ...rest]) => [first, 'hello', ...rest]),
    rows: ['STREAM-1'],
    check: 'stream.json-records',
  },
  'the stream is in Latin-1': {
    fault: inStream((text) => Buffer.from(text.replaceAll(/[^\0-\xFF]/g, '\xFF'), 'latin1')),
    rows: ['STREAM-6'],
    check: 'stream.whole-characters',
  },
  'no [DONE]': {
    fault: inRecords((records) => records.slice(0, -1)),
    rows: ['STREAM-2'],
    check: 'stream.done-once',
  },
  '[DONE] twice': {
    fault: inRecords((records) => [...records, '[DONE]']),
    rows: ['STREAM-2'],
    check: 'stream.done-once',
  },
  'a chunk behind [DONE]': {
    fault: inRecords((records) => [...records, ...records.slice(1, 2)]),
    rows: ['STREAM-2'],
    check: 'stream.nothing-after-done',
  },
  'a field without data behind [DONE]': {
    fault: inStream((text) => `${text}retry: 5\n\n`),
    rows: ['STREAM-2'],
    check: 'stream.nothing-after-done',
  },
  'done in lower case': {
    fault: inStream((text) => text.replace('[DONE]', '"done"')),
    rows: ['STREAM-1', 'STREAM-2'],
    check: 'stream.done-once',
  },
  'the connection breaks in the middle': {
    fault: (call, right) => {
      const given = right(call)
      return isStream(given) ? { ...given, cutAfter: 400 } : given
    },
    rows: ['STREAM-2'],
    check: 'stream.done-once',
  },
  'chunks are called completions': {
    fault: inChunks((chunk) => [{ ...chunk, object: 'chat.completion' }]),
    rows: ['STREAM-3'],
    check: 'stream.chunk-object',
  },
  'an id for each chunk': {
    fault: inChunks((chunk, place) => [{ ...chunk, id: `chatcmpl-${place}` }]),
    rows: ['STREAM-3'],
    check: 'stream.same-id',
  },
  'created is the time of the chunk': {
    fault: inChunks((chunk, place) => [{ ...chunk, created: 1_700_000_000 + place }]),
    rows: ['STREAM-3'],
    check: 'stream.same-created',
  },
  'model on the first chunk only': {
    fault: inChunks(({ model, ...chunk }, place) => [place === 0 ? { ...chunk, model } : chunk]),
    rows: ['STREAM-3'],
    check: 'stream.same-model',
  },
  'the usage chunk has an id of its own': {
    fault: inChunks((chunk) => [isUsage(chunk) ? { ...chunk, id: 'chatcmpl-usage' } : chunk]),
    rows: ['STREAM-3'],
    check: 'stream.same-head-with-usage',
  },
  'no role': {
    fault: inDelta((delta) => without(delta, 'role')),
    rows: ['STREAM-4'],
    check: 'stream.role-first',
  },
  'the role on every delta': {
    fault: inDelta((delta) => ({ role: 'assistant', ...delta })),
    rows: ['STREAM-4'],
    check: 'stream.role-once',
  },
  'another role': {
    fault: inDelta((delta) => ('role' in delta ? { ...delta, role: 'bot' } : delta)),
    rows: ['STREAM-4'],
    check: 'stream.role-first',
  },
  'the role on the first choice only': {
    fault: inDelta(({ role, ...delta }, choice) =>
      role === undefined || choice['index'] === 1 ? delta : { ...delta, role },
    ),
    rows: ['STREAM-4'],
    check: 'stream.role-first-of-two',
  },
  'no finish reason': {
    fault: inChoice((choice) => ({ ...choice, finish_reason: null })),
    rows: ['STREAM-5', 'STREAM-6', 'STREAM-8'],
    check: 'stream.finish-once',
  },
  'the finish reason twice': {
    fault: inChunks((chunk) => (isFinish(chunk) ? [chunk, chunk] : [chunk])),
    rows: ['STREAM-5'],
    check: 'stream.finish-once',
  },
  'an empty finish reason before the last': {
    fault: inChoice((choice) => ({ ...choice, finish_reason: choice['finish_reason'] ?? '' })),
    rows: ['STREAM-5', 'STREAM-6'],
    check: 'stream.finish-reason-known',
  },
  'a finish reason that the format lacks': {
    fault: inChoice((choice) => ({
      ...choice,
      finish_reason: choice['finish_reason'] === null ? null : 'eos',
    })),
    rows: ['STREAM-5', 'STREAM-6'],
    check: 'stream.finish-reason-known',
  },
  'an empty delta behind the finish': {
    fault: inChunks((chunk) =>
      isFinish(chunk)
        ? [chunk, { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: null }] }]
        : [chunk],
    ),
    rows: ['STREAM-5'],
    check: 'stream.nothing-after-finish',
  },
  'some deltas are lost': {
    fault: inChunks((chunk) => (at(chunk, 'choices', 0, 'delta', 'content') === 'o' ? [] : [chunk])),
    rows: ['STREAM-6'],
    check: 'stream.same-text',
  },
  'a delta of the second choice is lost': {
    fault: inChunks((chunk) =>
      at(chunk, 'choices', 0, 'index') === 1 && at(chunk, 'choices', 0, 'delta', 'content') === 'o'
        ? []
        : [chunk],
    ),
    rows: ['STREAM-8'],
    check: 'stream.every-choice-text',
  },
  'streamed text is normalised': {
    fault: inDelta((delta) => ({
      ...delta,
      ...('content' in delta ? { content: String(delta['content']).normalize('NFKC') } : {}),
    })),
    rows: ['STREAM-6'],
    check: 'stream.same-echo',
  },
  'stop is ignored in streams': {
    fault: (call, right) => {
      const { stop: _, ...body } = Object(call.body)
      return right(body.stream === true ? { ...call, body } : call)
    },
    rows: ['STREAM-6'],
    check: 'stream.same-stopped-echo',
  },
  'a cut stream ends with stop': {
    fault: inStream((text) => text.replaceAll('"finish_reason":"length"', '"finish_reason":"stop"')),
    rows: ['STREAM-6'],
    check: 'stream.same-cut-by-max-tokens',
  },
  'streamed usage counts chunks': {
    fault: inChunks((chunk) => [
      isUsage(chunk)
        ? { ...chunk, usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 } }
        : chunk,
    ]),
    rows: ['STREAM-6'],
    check: 'stream.same-usage',
  },
  'a refusal in streams only': {
    fault: inDelta((delta) => ('role' in delta ? { ...delta, refusal: 'I would rather not.' } : delta)),
    rows: ['STREAM-6'],
    check: 'stream.same-refusal',
  },
  'a character in two halves': {
    fault: inChunks((chunk) => {
      const content = String(at(chunk, 'choices', 0, 'delta', 'content') ?? '')
      if (content.length !== 2) return [chunk]
      return Array.from({ length: 2 }, (_, place) => ({
        ...chunk,
        choices: [{ index: 0, delta: { content: content[place] } }],
      }))
    }),
    rows: ['STREAM-6'],
    check: 'stream.whole-characters',
  },
  'a character whose bytes were cut': {
    fault: inDelta((delta) =>
      String(delta['content']).length > 1 ? { ...delta, content: '\uFFFD\uFFFD' } : delta,
    ),
    rows: ['STREAM-6'],
    check: 'stream.whole-characters',
  },
  'streams fail where plain answers do not': {
    fault: failing(() => `data: ${failure}\n\n`),
    rows: ['STREAM-6'],
    check: 'stream.same-text',
  },
  'usage is on the finish chunk': {
    fault: inChunks((chunk) => {
      if (isUsage(chunk)) return []
      return [
        isFinish(chunk) && 'usage' in chunk
          ? { ...chunk, usage: { prompt_tokens: 7, completion_tokens: 53, total_tokens: 60 } }
          : chunk,
      ]
    }),
    rows: ['STREAM-7'],
    check: 'stream.usage-chunk-last',
  },
  'usage on every chunk': {
    fault: inChunks((chunk) => [
      'usage' in chunk && !isUsage(chunk) ? { ...chunk, usage: { total_tokens: 1 } } : chunk,
    ]),
    rows: ['STREAM-7'],
    check: 'stream.no-usage-elsewhere',
  },
  'include_usage is ignored': {
    fault: inChunks((chunk) => (at(chunk, 'choices', 0) === undefined ? [] : [without(chunk, 'usage')])),
    rows: ['STREAM-7'],
    check: 'stream.usage-chunk-last',
  },
  'usage that was not requested': {
    fault: inRecords((records, call) => {
      if (wantsUsage(call.body)) return records
      const usage = {
        ...JSON.parse(records[0] ?? ''),
        choices: [],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      }
      return [...records.slice(0, -1), JSON.stringify(usage), '[DONE]']
    }),
    rows: ['STREAM-7'],
    check: 'stream.no-usage-chunk',
  },
  'all choices have the index 0': {
    fault: inChoice((choice) => ({ ...choice, index: 0 })),
    rows: ['STREAM-8'],
    check: 'stream.every-choice-complete',
  },
  'one choice is never finished': {
    fault: inChunks((chunk) => (isFinish(chunk) && at(chunk, 'choices', 0, 'index') === 1 ? [] : [chunk])),
    rows: ['STREAM-5', 'STREAM-8'],
    check: 'stream.every-choice-complete',
  },
  'two choices are a crash': {
    fault: (call, right) => {
      const given = right(call)
      return isStream(given) && at(call.body, 'n') === 2 ? refuse(500, 'internal_error', 'No.') : given
    },
    rows: ['STREAM-8'],
    check: 'stream.every-choice-complete',
  },
  'error: null on every chunk': {
    fault: inChunks((chunk) => [{ ...chunk, error: null }]),
    rows: ['STREAM-9'],
    check: 'stream.no-error-member',
  },
  'keep-alives are events without data': {
    fault: inStream((text) => `event: ping\n\n${text}`),
    rows: ['STREAM-9'],
    check: 'stream.no-empty-events',
  },
  'keep-alives are empty data': {
    fault: inStream((text) => `data:\n\n${text}`),
    rows: ['STREAM-9'],
    check: 'stream.no-empty-events',
  },
  'refusals are streamed': {
    fault: (call, right) => {
      const given = right(call)
      return given.status >= 400 && at(call.body, 'stream') === true ? stream([String(given.body)]) : given
    },
    rows: ['STREAM-10'],
    check: 'stream.error-404',
  },
  'refusals have the type of a stream': {
    fault: (call, right) => {
      const given = right(call)
      if (given.status < 400 || at(call.body, 'stream') !== true) return given
      return { ...given, headers: { 'content-type': 'text/event-stream' } }
    },
    rows: ['STREAM-10'],
    check: 'stream.error-400',
  },
  'a stream says [DONE] behind its error': {
    fault: failing(() => `data: ${failure}\n\ndata: [DONE]\n\n`),
    rows: ['ERR-6', 'STREAM-6'],
    check: 'stream.error-record',
  },
  'a stream goes on behind its error': {
    fault: failing((records) => `data: ${failure}\n\n${records[1]}\n\n`),
    rows: ['ERR-6', 'STREAM-6'],
    check: 'stream.error-record',
  },
  'the error of a stream is a bare event': {
    fault: failing(() => 'event: error\ndata: {"message":"It failed."}\n\n'),
    rows: ['ERR-6', 'STREAM-6'],
    check: 'stream.error-record',
  },
  'the error of a stream has no code': {
    fault: failing(() => 'data: {"error":{"message":"It failed.","type":"api_error"}}\n\n'),
    rows: ['ERR-6', 'STREAM-6'],
    check: 'stream.error-record',
  },
}

/** Answers that the rows allow beside the usual ones. */
const allowed: Readonly<Record<string, Fault>> = {
  'comments, CRLF, no space, ids and named events': inStream(
    (text) =>
      `: hello\r\n\r\n${text
        .replaceAll('data: ', 'id: 1\nevent: message\ndata:')
        .replaceAll('\n', '\r\n')
        .replaceAll('\r\n\r\n', '\r\n\r\n: ping\r\n\r\n')}`,
  ),
  'a byte order mark and bare CR': inStream((text) => `\uFEFF${text.replaceAll('\n', '\r')}`),
  'plain choices without an index, which WIRE-2 judges': inCompletion((body) => ({
    ...body,
    choices: [body['choices']].flat().map((choice) => without(Object(choice), 'index')),
  })),
  'a comment behind [DONE]': inStream((text) => `${text}: bye\n\n`),
  'a type with a parameter': (call, right) => {
    const given = right(call)
    return isStream(given)
      ? { ...given, headers: { 'content-type': 'Text/Event-Stream; charset=UTF-8' } }
      : given
  },
  'a role that is null later': inDelta((delta) => ('role' in delta ? delta : { ...delta, role: null })),
  'text on the first and on the last delta': inRecords((records) => {
    const chunks = records.slice(0, -1).map((record): Json => JSON.parse(record))
    if (
      chunks.some((chunk) => at(chunk, 'choices', 0, 'index') !== 0 && at(chunk, 'choices', 0) !== undefined)
    )
      return records
    const choices = chunks.filter((chunk) => at(chunk, 'choices', 0) !== undefined)
    const content = choices.map((chunk) => at(chunk, 'choices', 0, 'delta', 'content') ?? '').join('')
    const finish = at(choices.at(-1), 'choices', 0, 'finish_reason')
    const whole = {
      ...choices[0],
      choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: finish }],
    }
    return [JSON.stringify(whole), ...records.slice(choices.length)]
  }),
  'finish reasons left out until the last': inChunks((chunk) => [
    JSON.parse(JSON.stringify(chunk).replaceAll(',"finish_reason":null', '')),
  ]),
  'usage left out on other chunks': inChunks((chunk) => [
    JSON.parse(JSON.stringify(chunk).replace(',"usage":null', '')),
  ]),
  'an empty chunk before the first': inChunks((chunk, place) =>
    place === 0 ? [{ ...chunk, choices: [] }, chunk] : [chunk],
  ),
  'one choice after the other': inRecords((records) => {
    const of = (index: number) => records.filter((record) => record.includes(`"choices":[{"index":${index}`))
    return [...of(0), ...of(1), ...records.filter((record) => !record.includes('"choices":[{'))]
  }),
  'no usage in plain answers': inCompletion((completion) => without(completion, 'usage')),
  'null for empty text and refusals': inDelta((delta) =>
    'role' in delta ? { ...delta, content: null, refusal: null } : delta,
  ),
  'members that the format lacks': inChunks((chunk) => [
    { ...chunk, obfuscation: 'xyz', service_tier: null },
  ]),
}

describe('faults', () => {
  it.each(Object.entries(broken))('%s', async (_, { fault, rows, check }) => {
    const verdicts = await judgeChat(fault, cases, { observers, runs: 10 })
    expect(redRows(verdicts)).toEqual(rows)
    expect(failed(verdicts)).toContain(check)
  })
})

describe('allowed', () => {
  it.each(Object.entries(allowed))('%s', async (_, fault) => {
    const verdicts = await judgeChat(fault, cases, { observers, runs: 10 })
    // This service answers at once; the limit needs a key of its own; usage may be missing; no stream fails here.
    const others = new Set([
      'stream.error-429',
      'stream.same-usage',
      'stream.error-record',
      'stream.as-produced',
      'stream.abandoned',
    ])
    expect(verdicts.filter(({ id, outcome }) => outcome !== 'pass' && !others.has(id))).toEqual([])
  })

  it('a stream that fails: one error record, and no [DONE]', async () => {
    const fails = failing(() => `data: ${failure}\n\n`)
    const verdicts = await judgeChat(fails, cases, { observers, runs: 3 })
    expect(verdicts.find(({ id }) => id === 'stream.error-record')?.outcome).toBe('pass')
  })

  it('in profile wire: an error with a message alone, a service without keys', async () => {
    const open: Fault = (call, right) =>
      right({ ...call, headers: { ...call.headers, authorization: `Bearer ${KEY}` } })
    const verdicts = await judgeChat(open, cases, { observers, profile: 'wire', runs: 3 })
    expect(failed(verdicts)).toEqual([])
    expect(verdicts.find(({ id }) => id === 'stream.error-401-wrong-key')?.outcome).toBe('not-applicable')
  })
  it('a model that is deterministic, but not for the prompt of a check', async () => {
    let answers = 0
    const varied = inRequest((body) => {
      const [message] = [body['messages']].flat()
      const isPrompt = at(message, 'content') === STREAM_PROMPT && body['n'] === undefined
      return isPrompt
        ? { ...body, messages: [{ role: 'user', content: `${STREAM_PROMPT} ${answers++}` }] }
        : body
    })
    const verdicts = await judgeChat(varied, cases, { observers, runs: 3 })
    expect(failed(verdicts)).toEqual([])
    expect(verdicts.find(({ id }) => id === 'stream.same-text')?.outcome).toBe('not-applicable')
  })
})
