// The hand-written encoder produces the same JSON as `JSON.stringify`.
import { expect, test } from 'vitest'
import type { Usage } from '../../spec/schemas/response.ts'
import { completionOf } from './plain-completion.fixture.ts'

const head = { id: 'chatcmpl-1', created: 1, model: 'm' }
const counts = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
const cached = { prompt_tokens_details: { cached_tokens: 1 } }
const reasoning = { completion_tokens_details: { reasoning_tokens: 2 } }

test.each<Usage>([
  counts,
  { ...counts, ...cached },
  { ...counts, ...reasoning },
  { ...counts, ...cached, ...reasoning },
])('the usage %j is on the answer', async (usage) => {
  async function* deltas() {
    yield [{ type: 'finish', index: 0, reason: 'stop' } as const, { type: 'usage', usage } as const]
  }
  expect(await completionOf(deltas(), head, 1)).toMatchObject({ usage })
})
