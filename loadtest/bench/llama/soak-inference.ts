// node loadtest/bench/llama/soak-inference.ts [--minutes N] [--model FILE]: runs inference under mixed load for a long time: plain
// and streamed answers, grammars, several choices, refusals and aborted requests. Exits with 1 if memory has grown, an
// answer has failed, or a slot does not answer at the end.
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Running, startOurs } from './llama-servers.ts'
import { stopAll } from '../bench-processes.ts'
import { median } from '../../theory/statistics.ts'

const TINY = fileURLToPath(new URL('../../../fixtures/tiny-model/svc-0.1-tiny.gguf', import.meta.url))
const SLOTS = 4
const CLIENTS = 8
/** The interval of memory samples, and the allowed growth from the second third of them to the last. */
const SAMPLE_MS = 2000
const MOST_GROWTH = 1.1
/** A request without an answer for this time is stuck: it is longer than the wait for a slot plus any answer. */
const PATIENCE_MS = 180_000

/** Request parameters, used in turn. */
const KINDS: readonly Readonly<Record<string, unknown>>[] = [
  {},
  { stream: true },
  { stream: true, max_tokens: 200, logit_bias: { '71': 100 } },
  { n: 3, temperature: 1.5 },
  { response_format: { type: 'json_object' } },
  { logprobs: true, top_logprobs: 3, stream: true },
  { messages: [{ role: 'user', content: 'x'.repeat(100_000) }] },
  { frequency_penalty: 1, top_p: 0.9 },
]

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '5' }, model: { type: 'string', default: TINY } },
})
// A large heap grows before it is collected: a small heap makes a leak visible.
process.env['NODE_OPTIONS'] ??= '--max-old-space-size=64 --max-semi-space-size=2'
const setup = { file: values.model, threads: 1, slots: SLOTS, contextTokens: 1024 }
const server = await startOurs(setup)
const endsAt = performance.now() + Number(values.minutes) * 60_000
const counts = new Map<string, number>()
try {
  const memory: number[] = []
  const watching = (async () => {
    while (performance.now() < endsAt) {
      memory.push(server.megabytes() ?? NaN)
      await sleep(SAMPLE_MS)
    }
  })()
  await Promise.all([
    watching,
    ...Array.from({ length: CLIENTS }, async (_, client) => drive(server, client)),
  ])
  const third = Math.floor(memory.length / 3)
  const [before, after] = [median(memory.slice(third, 2 * third)), median(memory.slice(-third))]
  // One request for each slot, with nothing else in flight: a leaked slot would leave one of them waiting.
  const last = await Promise.all(
    Array.from({ length: SLOTS }, async () => ask(server, { max_tokens: 8 }, AbortSignal.timeout(30_000))),
  )
  const answered = last.every((status) => status === 200)
  console.log([...counts].map(([what, count]) => `${count} ${what}`).join(', '))
  console.log(`memory ${before.toFixed(0)} MB in the second third, ${after.toFixed(0)} MB in the last`)
  console.log(answered ? 'every slot answers' : `a slot does not answer: ${last.join(', ')}`)
  const faults = [...counts.keys()].filter((what) => !/^(200|400|503|abandoned)$/.test(what))
  if (!answered || after > before * MOST_GROWTH || faults.length > 0) process.exitCode = 1
} finally {
  await server.stop()
  stopAll()
}

async function drive(target: Running, client: number): Promise<void> {
  for (let turn = client; performance.now() < endsAt; turn += 1) {
    const kind = KINDS[turn % KINDS.length] ?? {}
    // Every third request is aborted before its answer is complete.
    const patience =
      turn % 3 === 0 ? AbortSignal.timeout(randomInt(1, 300)) : AbortSignal.timeout(PATIENCE_MS)
    const outcome = await ask(target, kind, patience).catch((error: unknown) => {
      if (patience.aborted && turn % 3 === 0) return 'abandoned'
      return `failed: ${error instanceof Error ? error.message : String(error)}`
    })
    counts.set(String(outcome), (counts.get(String(outcome)) ?? 0) + 1)
  }
}

/** Reads an answer to its end; returns its status. */
async function ask(target: Running, members: object, signal: AbortSignal): Promise<number> {
  const messages = [{ role: 'user', content: `Write about gold ${randomInt(50)}.` }]
  const answer = await fetch(`${target.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${target.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: target.model, messages, max_tokens: 48, ...members }),
    signal,
  })
  await answer.text()
  return answer.status
}
