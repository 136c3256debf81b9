// A process that was busy does not blame a service for the time that it had no turn itself.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { createProbe } from './probe.ts'

const TIMEOUT_MS = 500

/** When the service answers, in milliseconds: the process is busy already, and the time not over. */
const ANSWER_MS = 200

/** A service on a thread of its own, which answers in time, or never. */
async function startService(answers: boolean): Promise<string> {
  const worker = new Worker(
    `const { createServer } = require('node:http')
    const server = createServer((request, response) => ${answers ? `setTimeout(() => response.end('here'), ${ANSWER_MS})` : 'undefined'})
    server.listen(0, '127.0.0.1', () => require('node:worker_threads').parentPort.postMessage(server.address().port))`,
    { eval: true },
  )
  onTestFinished(async () => void (await worker.terminate()))
  const [port] = await once(worker, 'message')
  return `http://127.0.0.1:${port}`
}

/** Sends a request, and has no turn from when it is sent until long after its time is over. */
async function sentByBusyProcess(baseUrl: string) {
  const probe = createProbe({ baseUrl, key: '', timeoutMs: TIMEOUT_MS })
  onTestFinished(() => probe.close())
  const answer = probe.send({ path: '/v1/models' }, new AbortController().signal)
  answer.catch(() => {})
  // The request leaves in the next turns. A read of a file ends in the part of a turn in which answers are read.
  await new Promise((resolve) => setTimeout(resolve, 50))
  await readFile(import.meta.filename)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * TIMEOUT_MS)
  return answer
}

test('an answer that came meanwhile is read', async () => {
  const { response } = await sentByBusyProcess(await startService(true))
  expect(String(Buffer.from(response.body))).toBe('here')
})

test('a service that does not answer is late all the same', async () => {
  await expect(sentByBusyProcess(await startService(false))).rejects.toThrow('no answer within 0.5 s')
})
