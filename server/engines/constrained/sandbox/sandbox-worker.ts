// A worker process of the sandbox: it runs one job after another, without the server's environment. It stops a
// job at its timeout; if the server ends, the worker ends by itself.
import { createContext, Script } from 'node:vm'
import { parseExact } from '../../../../spec/protocol/exact-json.ts'
import { createIdleCollector } from '../../idle-memory.ts'
import { type Job, type JobResult, perform } from './sandbox-jobs.ts'

export interface ToSandboxWorker {
  /** JSON of a `Job`: a message would round its numbers. */
  readonly job: string
  /** Maximum time of the job by the clock of the worker, in milliseconds. */
  readonly timeoutMs: number
}

export type FromSandboxWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'done'; readonly result: JobResult }
  /** The job was stopped at its timeout; `cpuMs` is the CPU time that it used. */
  | { readonly type: 'late'; readonly cpuMs: number }
  | { readonly type: 'failed'; readonly message: string }

const context = createContext({ work: () => {} })
const script = new Script('work()')

process.on('disconnect', () => process.exit(0))
// Ctrl-C reaches the whole process group: the server decides when its workers end.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
// A first job, so that no later job pays for one-time initialisation.
perform({ type: 'fit', schema: { type: 'object' }, texts: ['{}'], value: true })
const worked = createIdleCollector(() => false)
process.on('message', (message) => receive(message as ToSandboxWorker))
send({ type: 'ready' })

function receive({ job, timeoutMs }: ToSandboxWorker): void {
  const before = process.cpuUsage()
  try {
    let result: JobResult | undefined
    context['work'] = () => (result = perform(parseExact(job) as Job))
    script.runInContext(context, { timeout: timeoutMs })
    if (result !== undefined) send({ type: 'done', result })
  } catch (error) {
    const { user, system } = process.cpuUsage(before)
    // The error of a timeout belongs to the context, and is not an `Error` of this one.
    if (Reflect.get(Object(error), 'code') === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      send({ type: 'late', cpuMs: (user + system) / 1000 })
    else send({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
  worked()
}

function send(message: FromSandboxWorker): void {
  // If the server has ended, sending fails and `disconnect` follows.
  process.send?.(message, undefined, undefined, () => {})
}
