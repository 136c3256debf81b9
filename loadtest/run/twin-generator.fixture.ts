// A load generator for the tests of `judge`, which measures right, or wrong in one way. It prints its figures as one line of JSON:
// `twin-generator.fixture.ts BASE_URL MODEL REQUESTS CONCURRENCY FAULT`
import { createAnswerReader } from '../generator/read-stream.ts'
import { summarize } from '../latency/latency-figures.ts'

/** Each fault, as what the generator does wrong. */
export const TWIN_FAULTS = [
  'counts an error record in a stream as success',
  'begins the first token after the thoughts',
  'takes the first bytes for the first token',
  'counts the tokens of an event as one',
  'reports the mean as p99',
  'keeps half of its concurrency',
  'leaves out failed requests',
] as const

export type TwinFault = (typeof TWIN_FAULTS)[number]

async function measure(baseUrl: string, model: string, fault: string | undefined) {
  const sentAt = performance.now()
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { authorization: 'Bearer any', 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'word' }], stream: true }),
  })
  const reader = createAnswerReader(response.status)
  let firstBytesMs: number | undefined
  const cut = await (async () => {
    for await (const bytes of response.body ?? []) {
      const nowMs = performance.now() - sentAt
      firstBytesMs ??= nowMs
      reader.chunk(bytes, nowMs)
    }
    return undefined
  })().catch(String)
  const { outputMs, ttfvMs, failure, usage } = reader.end()
  const { completion_tokens: counted = 0 } = (usage ?? {}) as { completion_tokens?: number }
  const tokens = fault === 'counts the tokens of an event as one' ? outputMs.length : counted
  const isForgiven = fault === 'counts an error record in a stream as success' && failure === 'error-record'
  const [first = 0, last = 0] = [outputMs[0], outputMs.at(-1)]
  const ttft =
    fault === 'begins the first token after the thoughts'
      ? ttfvMs
      : fault === 'takes the first bytes for the first token'
        ? firstBytesMs
        : first
  const isFailed = (failure !== undefined || cut !== undefined) && !isForgiven
  return { isFailed, tokens, ttft: ttft ?? 0, tpot: (last - first) / (tokens - 1) }
}

async function run([baseUrl = '', model = '', requests = '', concurrency = '', fault]: readonly string[]) {
  const callers = Number(concurrency) / (fault === 'keeps half of its concurrency' ? 2 : 1)
  let left = Number(requests)
  const startedAt = performance.now()
  const all: Awaited<ReturnType<typeof measure>>[] = []
  const call = async (): Promise<void> => {
    while (left-- > 0) all.push(await measure(baseUrl, model, fault))
  }
  await Promise.all(Array.from({ length: callers }, call))
  const seconds = (performance.now() - startedAt) / 1000
  const good = all.filter(({ isFailed }) => !isFailed)
  const failed = all.length - good.length
  const ttft = summarize(good.map((one) => one.ttft))
  const tokens = good.reduce((sum, one) => sum + one.tokens, 0)
  const figures = {
    requests: fault === 'leaves out failed requests' ? good.length : all.length,
    failed: fault === 'leaves out failed requests' ? 0 : failed,
    ttft: fault === 'reports the mean as p99' && ttft !== null ? { ...ttft, p99: ttft.mean } : ttft,
    tpot: summarize(good.map(({ tpot }) => tpot)),
    tokens,
    tokensPerSecond: tokens / seconds,
    concurrency: Number(concurrency),
  }
  process.stdout.write(`a line that is not the report\n${JSON.stringify(figures)}\n`)
}

if (import.meta.main) await run(process.argv.slice(2))
