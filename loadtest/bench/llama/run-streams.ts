// Runs a number of streamed answers with the generator of the load tests. Measures tokens per second over all of them, and
// the time to the first token of each.
import { generateStreams } from '../../generator/generate-streams.ts'
import type { StreamRecord } from '../../generator/stream-record.ts'

export interface StreamLoad {
  /** The base URL, without `/v1`. */
  readonly url: string
  readonly key: string
  readonly model: string
  readonly streams: number
  /** Answers that each stream requests, one after another. */
  readonly answers: number
  /** The most tokens of an answer. */
  readonly tokens: number
  /** The prompt of each answer; a server may have cached those of earlier runs. */
  prompt(answer: number): { readonly system: string; readonly user: string }
}

/** The longest time of one answer. */
const TIMEOUT_SECONDS = 600

export type StreamFigures = Awaited<ReturnType<typeof runStreams>>

/** Rejects if an answer is not a 200 or stays incomplete. */
export async function runStreams({ url, key, model, streams, answers, tokens, prompt }: StreamLoad) {
  const records: StreamRecord[] = []
  const prompts = Array.from({ length: streams * answers }, (_, answer) => {
    const { system, user } = prompt(answer)
    return {
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ],
    }
  })
  const size = { least: tokens, most: tokens }
  const started = performance.now()
  await generateStreams({
    plan: {
      schema: 'touchstone.latency-plan/1',
      baseUrl: url,
      model,
      load: { model: 'closed', concurrency: streams, requestsEach: answers },
      seconds: 0,
      seed: 0,
      promptTokens: size,
      answerTokens: size,
      sharedPrefixTokens: 0,
      turns: 1,
      prompts,
      usage: true,
      parameters: { temperature: 0 },
      timeoutSeconds: TIMEOUT_SECONDS,
      stopsEarly: false,
    },
    keys: [key],
    segment: 1,
    segments: 1,
    write: (line) => void (line.type === 'stream' && records.push(line)),
    connection: {},
    signal: new AbortController().signal,
  })
  const seconds = (performance.now() - started) / 1000
  const whole = records.filter((one) => one.failure === undefined && one.completionTokens !== undefined)
  const failed = records.find((one) => !whole.includes(one))
  if (whole.length < streams * answers)
    throw new Error(`${url} gave no whole answer: ${failed?.status} ${failed?.failure} ${failed?.detail}`)
  return {
    tokensPerSecond: whole.reduce((sum, { completionTokens = 0 }) => sum + completionTokens, 0) / seconds,
    /** Milliseconds to the first text, or to the end of an answer without text: a token may be an incomplete character. */
    firstTokenMs: whole.map(({ outputMs, endMs }) => outputMs[0] ?? endMs),
    /** Tokens of the prompt of each answer, as the server counts them. */
    promptTokens: whole.map(({ promptTokens = NaN }) => promptTokens),
  }
}
