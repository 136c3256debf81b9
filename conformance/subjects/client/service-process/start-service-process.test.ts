// The service answers and measures while the judge is busy, and the judge hears of all of it.
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { clockMs } from '../../../../harness/scripted-service/measuring-clock.ts'
import { startServiceProcess } from './start-service-process.ts'

const CALL = `
  const answer = await fetch(process.argv[1], { method: 'POST', body: '{"model":"m"}' })
  process.stdout.write(String(answer.status) + (await answer.text()))`

test('a request is answered while the judge does something else, and is among the calls behind `settled`', async () => {
  const service = await startServiceProcess()
  const path = '/s/plain/v1/chat/completions'
  service.open({ name: 'plain', path, key: 'svc_sk_1', text: 'The answer.', model: 'm', together: 1 })
  const beginMs = clockMs()
  // Nothing of this process runs meanwhile.
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', CALL, service.origin + path])
  const endMs = clockMs()
  expect(printed.toString()).toMatch(/^200\{.*The answer\./)
  await service.settled()
  const [call, ...others] = service.calls('plain')
  expect(others).toEqual([])
  expect(call).toMatchObject({ kind: 'attempt', reply: { status: 200, end: 'complete' } })
  expect(Buffer.from(call?.request.body ?? []).toString()).toBe('{"model":"m"}')
  // One clock for both processes.
  const times = [beginMs, call?.arrivedMs, call?.reply?.firstByteMs, call?.reply?.lastByteMs, endMs].map(
    Number,
  )
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(service.busyMs(endMs + 60_000, endMs + 70_000)).toBe(0)
  await service.close()
})

test('what has ended has nothing to say', async () => {
  const service = await startServiceProcess()
  await service.close()
  await expect(service.settled()).rejects.toThrow('the scripted service has ended')
})
