// Hostile recordings: archives and captures of good exchanges, of which some values, bodies and bytes are hostile.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CAPTURE_SCHEMA } from '../../../exchanges/recording-line.ts'
import { type Chances, chancesOf } from './chances.ts'
import { hostileBody } from './hostile-bodies.ts'

/** A request and its answer, as both kinds of recording need them. */
export interface GoodExchange {
  readonly request: string
  readonly status: number
  readonly type: string
  readonly answer: string
}

const URL = 'http://service.test/v1/chat/completions'
const BEGUN = '2026-11-28T10:00:00.000Z'

/** Asks a good service for the exchanges of which recordings are made. */
export async function goodExchanges(
  origin: string,
  key: string,
  model: string,
): Promise<readonly GoodExchange[]> {
  const messages = [{ role: 'user', content: 'Say hello.' }]
  const parameters = { type: 'object', properties: { a: { type: 'string' } } }
  const tools = [{ type: 'function', function: { name: 'f', parameters } }]
  const bodies = [
    { model, messages },
    { model, messages, stream: true, stream_options: { include_usage: true } },
    { model, messages, tools, tool_choice: 'required' },
    { model, messages, tools, tool_choice: 'required', stream: true },
    { model, messages, logprobs: true, top_logprobs: 2, n: 2 },
    { model, messages: [] },
  ]
  return Promise.all(
    bodies.map(async (body) => {
      const request = JSON.stringify(body)
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${key}` }
      const answer = await fetch(`${origin}/v1/chat/completions`, { method: 'POST', headers, body: request })
      const type = answer.headers.get('content-type') ?? ''
      return { request, status: answer.status, type, answer: await answer.text() }
    }),
  )
}

/** Writes a recording into the folder, and returns its file. */
export function writeRecording(folder: string, seed: number, exchanges: readonly GoodExchange[]): string {
  const chances = chancesOf('recording', seed)
  const isHar = chances.happens(0.5)
  const mixed = Array.from({ length: 1 + chances.below(20) }, () => {
    const one = exchanges[chances.below(exchanges.length)]
    return one === undefined ? [] : [withHostile(one, chances)]
  }).flat()
  const text = isHar ? archive(mixed, chances) : capture(mixed)
  let bytes: Buffer = Buffer.from(text)
  // Faults of the file itself, in addition to those of its exchanges.
  if (chances.happens(0.3)) bytes = hostileBody(bytes, false, chances)
  const file = join(folder, isHar ? 'session.har' : 'session.jsonl')
  writeFileSync(file, bytes)
  return file
}

function withHostile(one: GoodExchange, chances: Chances): GoodExchange {
  const hostile = (text: string, isStream: boolean): string =>
    chances.happens(0.3) ? hostileBody(Buffer.from(text), isStream, chances).toString('latin1') : text
  return {
    ...one,
    status: chances.happens(0.1) ? chances.pick([0, -1, 204, 304, 999, 1e9, 0.5]) : one.status,
    type: chances.happens(0.1) ? chances.pick(['', 'text/html', 'x\n', 'text/event-stream']) : one.type,
    request: hostile(one.request, false),
    answer: hostile(one.answer, one.type.includes('event-stream')),
  }
}

/** The text of an archive, whose entries have their bodies and times in several forms. */
export function archive(exchanges: readonly GoodExchange[], chances: Chances): string {
  const entries = exchanges.map(({ request, status, type, answer }) => ({
    startedDateTime: chances.pick([BEGUN, BEGUN, BEGUN, '9999-99-99', '']),
    time: chances.pick([1, 1, -1, 1e300]),
    request: {
      method: 'POST',
      url: URL,
      headers: [{ name: 'Authorization', value: 'Bearer x' }],
      postData: { mimeType: 'application/json', text: request },
    },
    response: {
      status,
      headers: [{ name: 'Content-Type', value: type }],
      content: {
        mimeType: type,
        ...chances.pick<object>([
          { text: answer, size: answer.length },
          { text: answer },
          { text: Buffer.from(answer).toString('base64'), encoding: 'base64' },
          { text: answer, encoding: 'base64' },
          { size: 1e12 },
        ]),
      },
    },
  }))
  return JSON.stringify({ log: { version: '1.2', creator: { name: 'x', version: '1' }, entries } })
}

/** The text of a capture. */
export function capture(exchanges: readonly GoodExchange[]): string {
  const lines = exchanges.map(({ request, status, type, answer }) => ({
    startedAt: BEGUN,
    request: {
      method: 'POST',
      url: URL,
      path: '/v1/chat/completions',
      headers: [['Content-Type', 'application/json']],
      body: request,
    },
    response: {
      status: Math.round(status),
      headers: [['Content-Type', type]],
      body: answer,
      pieces: [[1, Buffer.byteLength(answer)]],
      end: 'complete',
    },
    timings: { firstByteMs: 1, totalMs: 2 },
  }))
  const head = { schema: CAPTURE_SCHEMA, baseUrl: 'http://service.test', startedAt: BEGUN }
  return [head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('')
}
