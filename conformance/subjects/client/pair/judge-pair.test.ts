// The command `pair`: a program with a real service, as any other subject: checks, outcomes, the side at fault, a report.
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startServerWithKey } from '../../../../harness/reference-server.fixture.ts'
import { createRedactor } from '../../../../harness/secrets/redact.ts'
import { loadPair } from '../../index.ts'

const program = join(import.meta.dirname, 'pair-client.fixture.ts')

test('a program that cuts texts is at fault in each use, and the report repeats it without the key', async () => {
  await using server = await startServerWithKey()
  const begun: string[] = []
  const { judge } = await loadPair()
  const report = await judge(
    {
      baseUrl: server.baseUrl,
      credentials: { CONFORMANCE_API_KEY: server.key },
      command: [process.execPath, program, 'cuts-text'],
      only: 'use.plain,use.image,READ-5',
      seed: 7,
      signal: new AbortController().signal,
      onBegin: ({ model }, seed) => begun.push(`${model} ${seed}`),
      onProgress: () => {},
      onFault: (message) => begun.push(message),
    },
    createRedactor(),
  )
  expect(begun).toEqual(['svc-0.1-echo 7'])
  expect(report).toMatchObject({ subject: 'pair', exitCode: 1, faults: [] })
  expect(
    report.checks.map(({ id, requirement, outcome, attribution }) => [id, requirement, outcome, attribution]),
  ).toEqual([
    ['use.plain', 'READ-13', 'fail', 'client'],
    ['use.stream', 'READ-5', 'fail', 'client'],
    ['use.image', 'CALL-4', 'not-applicable', undefined],
  ])
  expect(report.checks[0]?.rerun).toContain(`pair --base-url ${server.baseUrl} --only use.plain --seed 7 -- `)
  expect(JSON.stringify(report)).not.toContain(server.key)
})
