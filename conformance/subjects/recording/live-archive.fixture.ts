// Tests get an HTTP archive of calls to the reference server, of every kind whose answer its request decides, and edits of it.
import { writeFileSync } from 'node:fs'
import { startServerWithKey } from '../../../harness/reference-server.fixture.ts'
import { isRecord, parseJson } from '../../../harness/json-value.ts'
import { temporaryFolder } from '../../../harness/temporary-folder.fixture.ts'
import type { Report } from '../../contract/report.ts'
import { judgeFile } from './recording.fixture.ts'

export type Json = Record<string, unknown>
type Header = { readonly name: string; readonly value: string }

/** An entry of an archive, with the members that the judge reads. */
export interface Entry {
  startedDateTime: string
  time: number
  request: { method: string; url: string; headers: Header[]; postData?: { mimeType: string; text: string } }
  response: {
    status: number
    headers: Header[]
    content: { mimeType: string; text?: string; encoding?: string }
  }
}

const TEXT = 'one two three four five six seven eight nine ten'

const strictObject = (properties: Json): Json => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
const SCHEMA = strictObject({ size: { type: 'integer', enum: [10, 20] }, word: { type: 'string' } })
const tool = (name: string, strict: boolean): Json => ({
  type: 'function',
  function: { name, description: name, parameters: SCHEMA, strict },
})
const CALL = { tools: [tool('order', true)], tool_choice: 'required' }
const LOOSE = { tools: [tool('loose', false)], tool_choice: 'required' }

/** The members of each request, which is sent plain and streamed. */
const REQUESTS: readonly Json[] = [
  {},
  { max_tokens: 3 },
  { max_completion_tokens: 3, n: 2 },
  { stop: ['six', 'four'] },
  { n: 2 },
  { logprobs: true, top_logprobs: 3 },
  { response_format: { type: 'json_object' }, messages: [{ role: 'user', content: 'JSON, please.' }] },
  { response_format: { type: 'json_schema', json_schema: { name: 'order', strict: true, schema: SCHEMA } } },
  CALL,
  LOOSE,
  { ...CALL, parallel_tool_calls: false },
  { model: 'no-such-model' },
]

/** Records the calls of one client to a reference server that was started for it. */
export async function liveArchive(): Promise<{ readonly key: string; readonly entries: readonly Entry[] }> {
  await using server = await startServerWithKey()
  const { key, baseUrl } = server
  const entries = [await record(key, `${baseUrl}/v1/models`)]
  for (const members of REQUESTS)
    for (const streamed of [{}, { stream: true, stream_options: { include_usage: true } }]) {
      const body = {
        model: 'svc-0.1-echo',
        messages: [{ role: 'user', content: TEXT }],
        ...members,
        ...streamed,
      }
      entries.push(await record(key, `${baseUrl}/v1/chat/completions`, body))
    }
  return { key, entries }
}

async function record(key: string, url: string, body?: Json): Promise<Entry> {
  const startedDateTime = new Date().toISOString()
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const text = body === undefined ? undefined : JSON.stringify(body)
  const method = text === undefined ? 'GET' : 'POST'
  const response = await fetch(url, { method, headers, ...(text === undefined ? {} : { body: text }) })
  const pairs = (list: Iterable<[string, string]>): Header[] =>
    Array.from(list, ([name, value]) => ({ name, value }))
  const mimeType = response.headers.get('content-type') ?? ''
  return {
    startedDateTime,
    time: 1,
    request: {
      method,
      url,
      headers: pairs(Object.entries(headers)),
      ...(text === undefined ? {} : { postData: { mimeType: 'application/json', text } }),
    },
    response: {
      status: response.status,
      headers: pairs(response.headers),
      content: { mimeType, text: await response.text() },
    },
  }
}

/** Judges an archive of these entries, by the whole specification, strictly. */
export async function judgeEntries(entries: readonly unknown[]): Promise<Report> {
  const file = `${temporaryFolder()}/session.har`
  const log = { version: '1.2', creator: { name: 'test', version: '1' }, entries }
  writeFileSync(file, JSON.stringify({ log }))
  return judgeFile(file, { profile: 'service', allowIncomplete: false })
}

/** The request of an entry; an empty object without a body. */
export function askedBy({ request }: Entry): Json {
  const body = parseJson(request.postData?.text ?? '')
  return isRecord(body) ? body : {}
}

export const isStreamed = (entry: Entry): boolean => askedBy(entry)['stream'] === true

/** A copy of an entry with another text as its answer. */
export function withAnswer(entry: Entry, text: string, status = entry.response.status): Entry {
  const headers = entry.response.headers.filter(({ name }) => name !== 'content-length')
  return {
    ...entry,
    response: { ...entry.response, status, headers, content: { ...entry.response.content, text } },
  }
}

/** A copy of an entry whose answer is edited: the completion, or each chunk of a stream in its turn. */
export function editAnswer(entry: Entry, edit: (body: Json, index: number) => Json): Entry {
  const { text = '' } = entry.response.content
  if (!isStreamed(entry)) return withAnswer(entry, JSON.stringify(edit(JSON.parse(text) as Json, 0)))
  const records = text.split('\n\n').map((event, index) => {
    const chunk = parseJson(event.replace(/^data: /, ''))
    return isRecord(chunk) ? `data: ${JSON.stringify(edit(structuredClone(chunk), index))}` : event
  })
  return withAnswer(entry, records.join('\n\n'))
}
