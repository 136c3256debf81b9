// A real model of ten tokens per second that answers one request at a time: the judge measures that, asks for short
// answers, and judges the same.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createProxy } from '../../fixtures/faulty/proxy.ts'
import { onSmallMachine } from '../../fixtures/services/small-machine.ts'
import { openKeySession } from '../../harness/keys/key-session.ts'
import { startReferenceServer } from '../../harness/reference-server.ts'
import { type ConformanceOptions, type Report, runConformance } from '../run-conformance.ts'

const paceOf = ({ target }: Report): unknown => target.facts.find(({ name }) => name === 'pace')?.value

const { signal } = new AbortController()

test(
  'a slow model is judged as completely as a fast one',
  { tags: ['llama', 'slow'], timeout: 300_000 },
  async () => {
    const server = await startReferenceServer(signal, () => {})
    const session = openKeySession(server.keyCommand.words, server.keyCommand.env)
    const tools = { key: '', now: () => performance.now(), sleep }
    const slow = createProxy(new URL(server.baseUrl), onSmallMachine(tools))
    try {
      slow.listen(0, '127.0.0.1')
      await once(slow, 'listening')
      const baseUrl = `http://127.0.0.1:${(slow.address() as AddressInfo).port}`
      const { secret } = JSON.parse(await session.run(['create', '--limit', '100000/60'])) as {
        secret: string
      }
      const judge = (options: ConformanceOptions) =>
        runConformance({
          profile: 'wire',
          model: 'svc-0.1-tiny',
          credentials: { CONFORMANCE_API_KEY: secret },
          quick: true,
          only: 'CHAT-1,CHAT-7,STREAM-2,STREAM-11,WIRE-2,WIRE-7,WIRE-14,WIRE-18',
          ...options,
        })
      const report = await judge({ baseUrl })
      expect(paceOf(report)).toMatch(/^(9|10|9\.\d) tokens per second, one answer at a time$/)
      const notJudged = report.checks.filter(({ outcome }) => outcome !== 'pass')
      expect(notJudged.filter(({ outcome }) => outcome !== 'not-applicable')).toEqual([])
      const fast = await judge({ baseUrl: server.baseUrl })
      expect(paceOf(fast)).toBeUndefined()
      // A fast model answers at once, so that a row about time does not apply to it.
      const others = ({ checks }: Report) =>
        checks
          .filter(({ requirement }) => requirement !== 'STREAM-11')
          .map(({ id, outcome }) => [id, outcome])
      expect(others(report)).toEqual(others(fast))
    } finally {
      slow.close()
      slow.closeAllConnections()
      session.close()
      await server.stop()
    }
  },
)
