// For k6: streams of the service, each of which must have a finish reason and [DONE] and no error record. k6 reads an answer as a
// whole, so it has no time of a token.
import http from 'k6/http'
import { Counter, Trend } from 'k6/metrics'

const { BASE_URL, MODEL, REQUESTS, CONCURRENCY, OUT } = __ENV

export const options = {
  scenarios: {
    streams: {
      executor: 'shared-iterations',
      exec: 'stream',
      vus: Number(CONCURRENCY),
      iterations: Number(REQUESTS),
    },
  },
  summaryTrendStats: ['avg', 'med', 'p(90)', 'p(95)', 'p(99)', 'max'],
}

const completed = new Counter('completed')
const failed = new Counter('failed')
const tokens = new Counter('tokens')
const whole = new Trend('whole', true)

export function stream() {
  const body = JSON.stringify({ model: MODEL, messages: [{ role: 'user', content: 'word' }], stream: true })
  const headers = { authorization: 'Bearer any', 'content-type': 'application/json' }
  const { status, body: text, timings } = http.post(`${BASE_URL}/chat/completions`, body, { headers })
  const isWhole = /"finish_reason":"/.test(text ?? '') && /^data: \[DONE\]/m.test(text ?? '')
  const isCompleted = status === 200 && isWhole && !/^data: \{"error"/m.test(text)
  completed.add(isCompleted ? 1 : 0)
  failed.add(isCompleted ? 0 : 1)
  if (!isCompleted) return
  whole.add(timings.duration)
  tokens.add(Number(/"completion_tokens":(\d+)/.exec(text)?.[1] ?? 0))
}

export function handleSummary({ metrics }) {
  return { [`${OUT}/k6.json`]: JSON.stringify(metrics) }
}
