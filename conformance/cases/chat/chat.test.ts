// Each fault turns red the rows that it breaks and no others; what the rows allow stays green.
import { describe, expect, it } from 'vitest'
import { at } from '../../../harness/verify/json-value.ts'
import { cases, observers } from './chat.ts'
import { CHAT_PATH } from '../requests/endpoints.ts'
import {
  type Fault,
  type Reply,
  inChoices,
  inCompletion,
  inRequest,
  reply,
} from '../scripted/scripted-chat.fixture.ts'
import { judgeChat } from '../scripted/judge-scripted-chat.fixture.ts'
import { failed, notPassed, redRows } from '../scripted/scripted-verdicts.fixture.ts'
import { refuse } from '../scripted/scripted-service.fixture.ts'

interface Broken {
  readonly fault: Fault
  /** The rows whose text it breaks. */
  readonly rows: readonly string[]
  /** A check that must see it. */
  readonly check: string
  /** True if no answer comes: then only this check is worth the wait. */
  readonly hangs?: boolean
}

/** The answer that stands in for a refusal. */
const welcome: Reply = reply({
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
})

/** Answers requests to the chat endpoint in another way where `when` says so. */
function instead(when: (call: Parameters<Fault>[0], given: Reply) => boolean, other: Reply): Fault {
  return (call, right) => {
    const given = right(call)
    return call.path === CHAT_PATH && when(call, given) ? other : given
  }
}

/** Accepts what the right service refuses with a 400, where `when` says so. */
function accepts(when: (body: unknown, raw: string) => boolean): Fault {
  return instead(({ body, raw }, { status }) => status === 400 && when(body, raw.toString()), welcome)
}

/** Changes the text of every answer. */
function changesText(change: (text: string) => string): Fault {
  return inChoices((choice) => ({
    ...choice,
    message: { role: 'assistant', content: change(String(at(choice, 'message', 'content'))) },
  }))
}

const no: Reply = refuse(400, 'no', 'No.', { param: 'messages' })
const crash: Reply = refuse(500, 'internal_error', 'Something went wrong.')
const first = (body: unknown): unknown => at(body, 'messages', 0)
const settings = [
  'stop',
  'max_tokens',
  'tools',
  'tool_choice',
  'response_format',
  'logit_bias',
  'stream_options',
]
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null

const broken: Readonly<Record<string, Broken>> = {
  'a path that cannot be decoded crashes it': {
    fault: (call, right) =>
      /%(?![\da-f]{2})/i.test(call.path) ? refuse(500, 'internal', 'Sorry.') : right(call),
    rows: ['CHAT-9'],
    check: 'chat.odd-paths',
  },
  'a part without its text crashes it': {
    fault: instead(
      ({ body }) => {
        const part = at(first(body), 'content', 0)
        return at(part, 'type') === 'text' && at(part, 'text') === undefined
      },
      refuse(500, 'internal', 'Sorry.'),
    ),
    rows: ['CHAT-9'],
    check: 'chat.odd-messages',
  },
  'valid requests are refused': {
    fault: instead(({ body }, { status }) => status === 200 && at(body, 'stream') !== true, no),
    rows: ['CHAT-1', 'CHAT-2'],
    check: 'chat.valid-request',
  },
  'an answer is no JSON': {
    fault: instead((_, { status }) => status === 200, { ...welcome, body: 'Hello.' }),
    rows: ['CHAT-1'],
    check: 'chat.valid-request',
  },
  'an answer has no choices': {
    fault: inCompletion((completion) => ({ ...completion, choices: [] })),
    rows: ['CHAT-1'],
    check: 'chat.choices',
  },
  'content is an array': {
    fault: inChoices((choice) => ({ ...choice, message: { role: 'assistant', content: ['Hello.'] } })),
    rows: ['CHAT-1'],
    check: 'chat.choices',
  },
  'system messages are refused': {
    fault: instead(({ body }, { status }) => status === 200 && at(first(body), 'role') === 'system', no),
    rows: ['CHAT-2'],
    check: 'chat.system-message',
  },
  'success is 201': {
    fault: (call, right) => {
      const given = right(call)
      return given.status === 200 ? { ...given, status: 201 } : given
    },
    rows: ['CHAT-1', 'CHAT-7'],
    check: 'chat.success-is-200',
  },
  'a streamed success is 202': {
    fault: (call, right) =>
      at(call.body, 'stream') === true ? { ...right(call), status: 202 } : right(call),
    rows: ['CHAT-7'],
    check: 'chat.streamed-success-is-200',
  },
  'broken JSON is repaired': {
    fault: accepts((body) => body === undefined),
    rows: ['CHAT-3'],
    check: 'chat.trailing-comma',
  },
  'an empty body is an empty request': {
    fault: accepts((_, raw) => raw === ''),
    rows: ['CHAT-3'],
    check: 'chat.empty-body',
  },
  'a list of requests is accepted': {
    fault: accepts((body) => Array.isArray(body)),
    rows: ['CHAT-3'],
    check: 'chat.array-body',
  },
  'malformed JSON is a 422': {
    fault: instead(({ body }) => body === undefined, refuse(422, 'no', 'No.')),
    rows: ['CHAT-3'],
    check: 'chat.truncated-json',
  },
  'a model is chosen where none is named': {
    fault: accepts((body) => isObject(body) && 'messages' in body && !('model' in body)),
    rows: ['CHAT-4'],
    check: 'chat.missing-model',
  },
  'a missing field has another code': {
    fault: (call, right) => {
      const given = right(call)
      return {
        ...given,
        body: String(given.body).replace('"code":"invalid_request_error"', '"code":"missing"'),
      }
    },
    rows: ['CHAT-4'],
    check: 'chat.missing-role',
  },
  'a message without content is empty': {
    fault: inRequest((body) => {
      const messages = Array.isArray(body['messages']) ? body['messages'] : []
      const filled = messages.map((message: unknown) =>
        isObject(message) ? { content: '', ...message } : message,
      )
      return 'messages' in body && messages.length > 0 ? { ...body, messages: filled } : body
    }),
    rows: ['CHAT-4'],
    check: 'chat.missing-content',
  },
  'numbers are taken for text': {
    fault: accepts((body) => typeof at(first(body), 'content') === 'number'),
    rows: ['CHAT-5'],
    check: 'chat.content-number',
  },
  'a string is taken for a boolean': {
    fault: accepts((body) => typeof at(body, 'stream') === 'string'),
    rows: ['CHAT-5'],
    check: 'chat.stream-string',
  },
  'a wrong type is a 422': {
    fault: instead(({ body }) => typeof at(body, 'model') === 'number', refuse(422, 'no', 'No.')),
    rows: ['CHAT-5'],
    check: 'chat.model-number',
  },
  'any temperature is taken': {
    fault: accepts((body) => typeof at(body, 'temperature') === 'number'),
    rows: ['CHAT-6'],
    check: 'chat.temperature-too-high',
  },
  'any role is taken': {
    fault: accepts((body) => at(first(body), 'role') === 'wizard'),
    rows: ['CHAT-6'],
    check: 'chat.unknown-role',
  },
  'no messages are enough': {
    fault: accepts((body) => Array.isArray(at(body, 'messages')) && first(body) === undefined),
    rows: ['CHAT-6'],
    check: 'chat.no-messages',
  },
  'text is normalised': {
    fault: changesText((text) => text.normalize('NFC')),
    rows: ['CHAT-8'],
    check: 'chat.echo-combining',
  },
  'text is trimmed': {
    fault: changesText((text) => text.trim()),
    rows: ['CHAT-8'],
    check: 'chat.echo-outer-white-space',
  },
  'NUL ends a text': {
    fault: changesText((text) => text.split('\0')[0] ?? ''),
    rows: ['CHAT-8'],
    check: 'chat.echo-nul',
  },
  'CRLF becomes LF': {
    fault: changesText((text) => text.replaceAll('\r\n', '\n')),
    rows: ['CHAT-8'],
    check: 'chat.echo-line-ends',
  },
  'a byte order mark is lost': {
    fault: changesText((text) => text.replace(/^\uFEFF/, '')),
    rows: ['CHAT-8'],
    check: 'chat.echo-byte-order-mark',
  },
  'astral characters become question marks': {
    fault: changesText((text) => text.replaceAll(/[\u{10000}-\u{10FFFF}]/gu, '?')),
    rows: ['CHAT-8'],
    check: 'chat.echo-astral',
  },
  'escapes are read twice': {
    fault: changesText((text) => text.replaceAll(String.raw`\n`, '\n')),
    rows: ['CHAT-8'],
    check: 'chat.echo-escapes-in-text',
  },
  'HTML is escaped': {
    fault: changesText((text) => text.replaceAll('<', '&lt;')),
    rows: ['CHAT-8'],
    check: 'chat.echo-markup-in-text',
  },
  'text ends at 60000 bytes': {
    fault: changesText((text) => Buffer.from(text).subarray(0, 60_000).toString()),
    rows: ['CHAT-8'],
    check: 'chat.echo-64-kib',
  },
  'a text of 64 KiB is refused': {
    fault: instead(({ raw }) => raw.length > 65_536 && raw.length < 80_000, refuse(413, 'no', 'No.')),
    rows: ['CHAT-8'],
    check: 'chat.echo-64-kib',
  },
  'half a surrogate pair is a crash': {
    fault: instead(({ body }) => !String(at(first(body), 'content')).isWellFormed(), crash),
    rows: ['CHAT-8', 'CHAT-9'],
    check: 'chat.lone-surrogates',
  },
  'invalid UTF-8 is a crash': {
    fault: instead(({ raw }) => !Buffer.from(raw.toString()).equals(raw), crash),
    rows: ['CHAT-9'],
    check: 'chat.invalid-utf8',
  },
  'deep nesting is a crash': {
    fault: instead(({ raw }) => raw.includes('['.repeat(5000)), crash),
    rows: ['CHAT-9'],
    check: 'chat.deep-arrays',
  },
  'an infinite number is a crash': {
    fault: instead(({ raw }) => raw.includes('1e400'), crash),
    rows: ['CHAT-9'],
    check: 'chat.huge-numbers',
  },
  'another content type is a crash': {
    fault: instead(({ headers }) => headers['content-type'] === 'text/plain', crash),
    rows: ['CHAT-9'],
    check: 'chat.odd-content-types',
  },
  'a body of unannounced length is never answered': {
    fault: instead(({ headers }) => headers['transfer-encoding'] === 'chunked', { ...welcome, cutAfter: -1 }),
    rows: ['CHAT-9'],
    check: 'chat.chunked-body',
    hangs: true,
  },
  'the connection breaks on an encoded body': {
    fault: instead(({ headers }) => headers['content-encoding'] === 'gzip', { ...welcome, cutAfter: 0 }),
    rows: ['CHAT-9'],
    check: 'chat.odd-content-encodings',
  },
  'the answer to a large body is cut': {
    fault: instead(({ raw }) => raw.length > 1e6, { ...welcome, cutAfter: 20 }),
    rows: ['CHAT-9'],
    check: 'chat.large-body',
  },
  'a name twice is a crash': {
    fault: instead(({ raw }) => raw.toString().endsWith('"model":"other"}'), crash),
    rows: ['CHAT-9'],
    check: 'chat.repeated-names',
  },
  'a wrong value of a setting is a crash': {
    fault: instead(
      ({ body }, { status }) => status === 400 && settings.some((name) => isObject(body) && name in body),
      crash,
    ),
    rows: ['CHAT-9'],
    check: 'chat.any-json',
  },
}

/** Answers that the rows allow beside the usual ones. */
const allowed: Readonly<Record<string, Fault>> = {
  'the right service': (call, right) => right(call),
  'content may be null': (call, right) =>
    inChoices((choice) =>
      at(call.body, 'messages', 0, 'content') === 'Say hello.'
        ? { ...choice, message: { role: 'assistant', content: null } }
        : choice,
    )(call, right),
  'unknown members in answers': inCompletion((completion) => ({ ...completion, extra: { a: 1 } })),
  'lone surrogates are refused': instead(
    ({ body }) => !String(at(first(body), 'content')).isWellFormed(),
    refuse(400, 'invalid', 'No text.', { param: 'messages[0].content' }),
  ),
  'lone surrogates are replaced': inChoices((choice) => ({
    ...choice,
    message: { role: 'assistant', content: String(at(choice, 'message', 'content')).toWellFormed() },
  })),
  'another content type is a 415': instead(
    ({ headers }) => headers['content-type'] !== 'application/json',
    refuse(415, 'unsupported', 'JSON only.'),
  ),
  'a body over the limit is a 413, and the connection closes': (call, right) =>
    call.raw.length > 1e6
      ? {
          ...refuse(413, 'too_large', 'Too large.'),
          headers: { 'content-type': 'application/json', connection: 'close' },
        }
      : right(call),
  'another code for a wrong type': (call, right) => {
    const given = right(call)
    return { ...given, body: String(given.body).replace('"code":"invalid_type"', '"code":"whatever"') }
  },
}

/** What CHAT-9 sends takes time: it is left out if nothing that it looks at is broken. */
function near({ rows, check, hangs = false }: Broken): typeof cases {
  if (hangs) return cases.filter(({ id }) => id === check)
  return rows.includes('CHAT-9') ? cases : cases.filter(({ requirement }) => requirement !== 'CHAT-9')
}

describe('faults', () => {
  it.each(Object.entries(broken))('%s', async (_, faulty) => {
    const timeoutMs = faulty.hangs ? 500 : 10_000
    const verdicts = await judgeChat(faulty.fault, near(faulty), { observers, timeoutMs, runs: 10 })
    expect(redRows(verdicts)).toEqual(faulty.rows)
    expect(failed(verdicts)).toContain(faulty.check)
  })
})

describe('allowed', () => {
  it.each(Object.entries(allowed))('%s', async (_, fault) => {
    expect(notPassed(await judgeChat(fault, cases, { observers, runs: 5 }))).toEqual([])
  })
})
