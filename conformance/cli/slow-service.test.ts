// A service with 100 ms of latency: the judge raises its concurrency, and the verdict stays the same.
import net from 'node:net'
import { expect, test } from 'vitest'
import { listening } from '../../harness/http-server.fixture.ts'
import { startService } from '../subjects/server/cases/scripted/start-service.fixture.ts'
import { type ConformanceOptions, runConformance } from '../run-conformance.ts'

const LATENCY_MS = 100

/** A proxy that delays all bytes to this service. */
function startDelay(baseUrl: string) {
  const server = net.createServer((client) => {
    const service = net.connect(Number(new URL(baseUrl).port), '127.0.0.1')
    client.on('data', (bytes) => setTimeout(() => service.write(bytes), LATENCY_MS))
    service.pipe(client)
    for (const [one, other] of [
      [client, service],
      [service, client],
    ] as const)
      one.on('error', () => one.destroy()).on('close', () => other.destroy())
  })
  return listening(server)
}

test(
  'a slow service is judged concurrently, with the same outcomes',
  { tags: 'slow', timeout: 180_000 },
  async () => {
    await using service = await startService()
    await using slow = await startDelay(service.baseUrl)
    const judge = async (options: ConformanceOptions) => {
      let expectedSeconds = 0
      const { checks, durationMs } = await runConformance({
        baseUrl: slow.baseUrl,
        profile: 'wire',
        credentials: { CONFORMANCE_API_KEY: service.key },
        only: 'WIRE-1,WIRE-2,WIRE-5,WIRE-6,WIRE-8,CHAT-3,CHAT-4,CHAT-5',
        runs: 1,
        seed: 1,
        onBegin: (_, seed, { seconds }) => (expectedSeconds = seed === 1 ? (seconds ?? 0) : 0),
        ...options,
      })
      return { durationMs, expectedSeconds, outcomes: checks.map(({ id, outcome }) => `${id} ${outcome}`) }
    }
    const fixed = await judge({ concurrency: 4 })
    const adapted = await judge({})
    expect(adapted.outcomes).toEqual(fixed.outcomes)
    expect(adapted.durationMs).toBeLessThan(0.8 * fixed.durationMs)
    expect(adapted.expectedSeconds).toBeLessThan(fixed.expectedSeconds)
  },
)
