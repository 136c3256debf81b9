// A process that was busy does not blame a service for the time that it had no turn itself.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { createProbe } from './probe.ts'

const TIMEOUT_MS = 2_000

/** How long the process is busy after the end of that time, in milliseconds. */
const OVERTIME_MS = 500

/** The places of `signals`: this process is busy; the answer has been written. */
const [BUSY, WRITTEN] = [0, 1]

/** A service on a thread of its own. It says when a request has come, and answers when this process is busy, or never. */
const SERVICE = `
const { createServer } = require('node:http')
const { parentPort, workerData: { signals, answers } } = require('node:worker_threads')
const server = createServer((request, response) => {
  parentPort.postMessage('requested')
  Atomics.wait(signals, ${BUSY}, 0)
  const written = () => { Atomics.store(signals, ${WRITTEN}, 1); Atomics.notify(signals, ${WRITTEN}) }
  if (answers) response.end('here', written)
  else written()
})
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`

/** Sends a request, and has no turn from when it has arrived until its answer is there and its time is over. */
async function sentByBusyProcess(answers: boolean) {
  const signals = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(SERVICE, { eval: true, workerData: { signals, answers } })
  onTestFinished(async () => void (await worker.terminate()))
  const [port] = await once(worker, 'message')
  const probe = createProbe({ baseUrl: `http://127.0.0.1:${port}`, key: '', timeoutMs: TIMEOUT_MS })
  onTestFinished(() => probe.close())
  const answer = probe.send({ path: '/v1/models' }, new AbortController().signal)
  answer.catch(() => {})
  // A message comes in the part of a turn in which answers are read: timers follow it, and then the next turn.
  await once(worker, 'message')
  Atomics.store(signals, BUSY, 1)
  Atomics.notify(signals, BUSY)
  Atomics.wait(signals, WRITTEN, 0)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, TIMEOUT_MS + OVERTIME_MS)
  return answer
}

test('an answer that came meanwhile is read', async () => {
  const { response } = await sentByBusyProcess(true)
  expect(String(Buffer.from(response.body))).toBe('here')
})

test('a service that does not answer is late all the same', async () => {
  await expect(sentByBusyProcess(false)).rejects.toThrow('no answer within 2 s')
})
