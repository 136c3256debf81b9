// The `upstream` engine of the reference server is a gateway, and keeps every row.
import { expect, test } from 'vitest'
import { createRedactor } from '../../../harness/secrets/redact.ts'
import { startServerWithKey } from '../../../harness/reference-server.fixture.ts'
import { judgeGateway } from './judge.ts'
import { gatewayRows } from './catalogue.ts'
import { startUpstream } from './scripted-upstream.ts'

const UPSTREAM_KEY = 'the-key-of-the-upstream'

/** Longer than the silence that the server allows. */
const TIMEOUT_MS = 5_000

/** The duration of the long stream: longer than that silence. */
const LONG_STREAM_MS = 3_000

test('every row of gateways holds for the upstream engine', { tags: 'slow', timeout: 120_000 }, async () => {
  const upstream = await startUpstream(0)
  await using server = await startServerWithKey({
    UPSTREAM_MODELS: `ours=${upstream.origin}#theirs#THEIR_KEY`,
    THEIR_KEY: UPSTREAM_KEY,
    UPSTREAM_TIMEOUT_SECONDS: '2',
    // GATE-14 sends requests of 5 MB.
    MAX_BODY_BYTES: String(8 * 1024 * 1024),
  })
  const report = await judgeGateway(
    {
      baseUrl: server.baseUrl,
      upstream,
      model: 'ours',
      credentials: { CONFORMANCE_API_KEY: server.key, CONFORMANCE_UPSTREAM_KEY: UPSTREAM_KEY },
      timeoutMs: TIMEOUT_MS,
      longStreamMs: LONG_STREAM_MS,
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
