// A server for `npm run bench -- --parts`: key, schema and limit alone, on `node:http` without framework, log, strict JSON
// parsing or generation. The answer is that of BARE_ANSWER. The reference server cannot be faster. DATA_DIR is the
// folder of the server whose key is sent.
import { openSqliteStorage } from '../server/keys/sqlite/sqlite-storage.ts'
import { createMemoryRateLimiter } from '../server/limits/memory-limiter.ts'
import { parseAuthorization } from '../spec/protocol/key.ts'
import { parseChatCompletionRequest } from '../spec/schemas/parse-request.ts'
import { answerBare, serveParsed } from '../loadtest/bench/bare-answer.ts'

const { keys } = openSqliteStorage({ dataDir: process.env['DATA_DIR'] ?? '' })
const limiter = createMemoryRateLimiter()

serveParsed(async (request, body, response) => {
  const credentials = parseAuthorization(request.headers.authorization)
  const key = 'key' in credentials ? await keys.findActive(credentials.key) : undefined
  const { admitted } = await limiter.consume(key?.id ?? '', { requests: 1_000_000, windowSeconds: 1 })
  if (request.method === 'POST') {
    const parsed = parseChatCompletionRequest(body)
    if ('issue' in parsed) throw new Error(parsed.issue.message)
  }
  if (key === undefined || !admitted) throw new Error('the request of the benchmark was refused')
  answerBare(response, false)
})
