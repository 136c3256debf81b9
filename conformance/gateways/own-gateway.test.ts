// The `upstream` engine of the reference server is a gateway, and keeps every row.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKeyMaker } from '../../harness/keys/key-command.ts'
import { openKeySession } from '../../harness/keys/key-session.ts'
import { createRedactor } from '../../harness/redact.ts'
import { type ReferenceServer, startReferenceServer } from '../../harness/reference-server.ts'
import type { LocalService } from '../clients/scripted-service/service.ts'
import { judgeGateway } from './judge-gateway.ts'
import { gatewayRows } from './selection.ts'
import { startUpstream } from './upstream.ts'

const UPSTREAM_KEY = 'the-key-of-the-upstream'

/** Longer than the silence that the server allows. */
const TIMEOUT_MS = 5_000

let upstream: LocalService
let server: ReferenceServer
let key: string
beforeAll(async () => {
  upstream = await startUpstream(0)
  server = await startReferenceServer(new AbortController().signal, () => undefined, undefined, {
    UPSTREAM_MODELS: `ours=${upstream.origin}#theirs#THEIR_KEY`,
    THEIR_KEY: UPSTREAM_KEY,
    UPSTREAM_TIMEOUT_SECONDS: '2',
  })
  const session = openKeySession(server.keyCommand.words, server.keyCommand.env)
  const limit = { requests: 100_000, windowSeconds: 1 }
  const { secret } = await createKeyMaker({
    words: [],
    run: session.run,
    onSecret: () => undefined,
  }).create({ limit })
  key = secret
  session.close()
})
afterAll(() => server.stop())

test('every row of gateways holds for the upstream engine', { timeout: 120_000 }, async () => {
  const report = await judgeGateway(
    {
      baseUrl: server.baseUrl,
      upstream,
      model: 'ours',
      credentials: { CONFORMANCE_API_KEY: key, CONFORMANCE_UPSTREAM_KEY: UPSTREAM_KEY },
      timeoutMs: TIMEOUT_MS,
      runs: 10,
      strict: true,
    },
    createRedactor(),
  )
  const doNotHold = report.checks.filter(({ outcome }) => !['pass', 'not-applicable'].includes(outcome))
  expect(doNotHold.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([])
  expect(report.exitCode).toBe(0)
  expect(report.requirements.map(({ id }) => id)).toEqual(gatewayRows.map(({ id }) => id))
})
