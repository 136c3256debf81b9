// Bundles of clients and gateways: each check has its recorded outcome again, also of a faulty one.
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createGateway } from '../../fixtures/faulty-gateways/gateway.ts'
import { gateways } from '../../fixtures/faulty-gateways/gateways.ts'
import { goodHabits } from '../../fixtures/faulty-gateways/habits.ts'
import { listening } from '../../harness/http-server.fixture.ts'
import { createRedactor } from '../../harness/secrets/redact.ts'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'
import type { Report } from '../contract/report.ts'
import { runClientConformance } from '../run-client-conformance.ts'
import { verifyRun } from '../run-conformance.ts'
import { loadGateway } from '../subjects/index.ts'
import { readBundle, writeBundle } from './bundle-file.ts'
import type { ExchangeLine, RecordingLine } from '../exchanges/recording-line.ts'
import { createRunRecorder } from './record-run.ts'
import { judgeAndBundle } from './write-file.ts'

const CLIENT = join(import.meta.dirname, '..', '..', 'fixtures', 'faulty-clients', 'faulty-client.ts')
const newFile = (): string => join(temporaryFolder(), 'run.zip')

async function verified(file: string) {
  const { isConfirmed, differences, notReplayable, report } = await verifyRun(file)
  return { isConfirmed, changed: [...differences, ...notReplayable], exitCode: report.exitCode }
}

/** Edits the lines of a bundle and makes its digests again. */
function edited(file: string, edit: (line: RecordingLine) => RecordingLine): string {
  const { manifest, report, lines } = readBundle(readFileSync(file))
  const own = newFile()
  writeFileSync(
    own,
    writeBundle({ ...manifest, report, lines: lines.map((line) => JSON.stringify(edit(line))) }),
  )
  return own
}

describe.concurrent('a client', { timeout: 300_000 }, () => {
  async function recorded(
    fault: string | undefined,
    only?: string,
  ): Promise<{ report: Report; file: string }> {
    const command = [process.execPath, CLIENT, ...(fault === undefined ? [] : ['--fault', fault])]
    const file = newFile()
    return { report: await runClientConformance({ command, only, seed: 1, bundle: file }), file }
  }
  async function confirmed(fault: string | undefined): Promise<void> {
    const { report, file } = await recorded(fault, 'RETRY-2,CALL-2,READ-1')
    expect(report.exitCode).toBe(fault === undefined ? 0 : 1)
    expect(await verified(file)).toEqual({ isConfirmed: true, changed: [], exitCode: report.exitCode })
  }
  test('without a fault', { tags: 'slow' }, () => confirmed(undefined))
  test('with the fault retries-400', { tags: 'slow' }, () => confirmed('retries-400'))
  test('with the fault prints-key', { tags: 'slow' }, () => confirmed('prints-key'))
  test('by all checks', { tags: 'slow' }, async () => {
    const { report, file } = await recorded(undefined)
    expect(await verified(file)).toEqual({ isConfirmed: true, changed: [], exitCode: report.exitCode })
  })
  test('an edited request, output or time is found', async () => {
    const { file } = await recorded(undefined, 'RETRY-3,READ-5')
    let first: ExchangeLine | undefined
    const edits: Readonly<Record<string, (line: RecordingLine) => RecordingLine>> = {
      request: (line) =>
        line.kind === 'exchange' ? { ...line, call: { ...line.call, kind: 'stray' } } : line,
      output: (line) =>
        line.kind === 'program' ? { ...line, ends: line.ends.map((end) => ({ ...end, stdout: '' })) } : line,
      time: (line) => {
        if (line.kind !== 'exchange') return line
        first = line.by === first?.by ? first : line
        return { ...line, atMs: first?.atMs }
      },
    }
    for (const [name, edit] of Object.entries(edits)) {
      const { isConfirmed } = await verified(edited(file, edit))
      expect([name, isConfirmed]).toEqual([name, false])
    }
  })
})

describe('a gateway', { timeout: 300_000 }, () => {
  const KEYS = {
    CONFORMANCE_API_KEY: 'sk-client-Qm7xT2vKp9ZrWd',
    CONFORMANCE_UPSTREAM_KEY: 'sk-upstream-Hc4nB8sLf3YjGe',
  }
  async function recorded(id: string | undefined, only: string) {
    const subject = await loadGateway()
    const upstream = await subject.startUpstream(0)
    const habits = gateways.find((one) => one.id === id)?.habits ?? goodHabits
    const handle = createGateway(habits)
    const connection = {
      url: upstream.origin,
      key: KEYS.CONFORMANCE_UPSTREAM_KEY,
      clientKey: KEYS.CONFORMANCE_API_KEY,
    }
    await using gateway = await listening(
      createServer((request, response) => void handle(request, response, connection)),
    )
    const file = newFile()
    const options = {
      baseUrl: gateway.baseUrl,
      upstream,
      only,
      seed: 1,
      runs: 3,
      longStreamMs: 500,
      credentials: KEYS,
      bundle: file,
    }
    const report = await judgeAndBundle(
      options,
      async () => createRunRecorder('gateway', options),
      (recorder) => subject.judge(options, createRedactor(), recorder),
    )
    return { report, file }
  }
  async function confirmed(id: string | undefined): Promise<void> {
    const { report, file } = await recorded(id, 'GATE-5,GATE-7,GATE-8,GATE-13')
    expect(report.exitCode).toBe(id === undefined ? 0 : 1)
    expect(await verified(file)).toEqual({ isConfirmed: true, changed: [], exitCode: report.exitCode })
    const text = JSON.stringify(readBundle(readFileSync(file)))
    for (const key of Object.values(KEYS)) expect(text).not.toContain(key)
  }
  test('without a fault', { tags: 'slow' }, () => confirmed(undefined))
  test('with the fault drops-usage', { tags: 'slow' }, () => confirmed('drops-usage'))
  test('an edited answer is found', { tags: 'slow' }, async () => {
    const { file } = await recorded(undefined, 'GATE-2')
    const { isConfirmed } = await verified(
      edited(file, (line) =>
        line.kind === 'exchange' && line.hop === 'client' && line.response !== null
          ? { ...line, response: { ...line.response, status: 500 } }
          : line,
      ),
    )
    expect(isConfirmed).toBe(false)
  })
})
