// Tests get recordings that are made from a few facts of each exchange, and judged.
import { madeExchange } from '../../../harness/exchange.fixture.ts'
import { createRedactor } from '../../../harness/secrets/redact.ts'
import { temporaryFolder } from '../../../harness/temporary-folder.fixture.ts'
import type { Report } from '../../contract/report.ts'
import { createCaptureFile } from '../../exchanges/capture-file.ts'
import { loadRecording } from '../index.ts'
import type { RecordingOptions } from './judge.ts'
import type { RecordedExchange } from '../../exchanges/recorded-exchange.ts'

/** The key of each request that has no headers of its own. */
export const KEY = 'svc_sk_0123456789abcdefghij'
const ERROR = { error: { message: 'No.', type: 'api_error', param: null, code: 'internal_error' } }

/** A recorded request for a completion; what is left out is usual. */
export interface Sent {
  readonly atMs: number
  readonly status: number
  readonly text?: string
  /** Further members of the body. */
  readonly members?: object
  readonly headers?: readonly (readonly [string, string])[]
  readonly answerHeaders?: readonly (readonly [string, string])[]
  readonly url?: string
  readonly ms?: number
}

/** The usual headers of a request. */
export const CARRIED = [
  ['Authorization', `Bearer ${KEY}`],
  ['Content-Type', 'application/json'],
] as const

function exchange(sent: Sent): RecordedExchange {
  const { atMs, status, text = 'hello', members, headers = CARRIED, answerHeaders = [], ms = 10 } = sent
  const { url = 'http://x/v1/chat/completions' } = sent
  const { request, response } = madeExchange({
    path: new URL(url).pathname,
    requestHeaders: headers,
    requestBody: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: text }], ...members }),
    status,
    headers: [['content-type', 'application/json'], ...answerHeaders],
    body: ERROR,
  })
  const timings = { firstByteMs: ms, totalMs: ms }
  return { startedAtMs: 1_000_000 + atMs, request: { ...request, url }, response, timings }
}

/** Writes a capture of these exchanges and judges it. */
export async function judge(sent: readonly Sent[], options: Partial<RecordingOptions> = {}): Promise<Report> {
  const path = `${temporaryFolder()}/recording.jsonl`
  const file = createCaptureFile(path, 'http://x', { flag: '--out' })
  for (const one of sent) file.write(exchange(one))
  file.close()
  return judgeFile(path, options)
}

/** Judges a recording, strictly and by all checks of the format unless `options` say otherwise. */
export async function judgeFile(file: string, options: Partial<RecordingOptions> = {}): Promise<Report> {
  const none = { only: undefined, seed: 1, baseline: undefined, baseUrl: undefined }
  const recording = await loadRecording()
  return recording.judge(
    { ...none, files: [file], profile: 'wire', strict: true, allowIncomplete: true, ...options },
    createRedactor(),
  )
}

/** The outcomes of the rows of clients that were decided. */
export async function clientRows(...sent: readonly Sent[]): Promise<Readonly<Record<string, string>>> {
  const { requirements } = await judge(sent, { subject: 'client' })
  const decided = requirements.filter(({ outcome }) => outcome !== 'not-applicable')
  return Object.fromEntries(decided.map(({ id, outcome }) => [id, outcome]))
}
