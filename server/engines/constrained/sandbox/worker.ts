// A worker process of the sandbox: it runs one job after another, without the server's environment. The server kills it at
// the deadline; if the server ends, the worker ends by itself.
import { createContext, Script } from 'node:vm'
import { createIdleCollector } from '../../idle-memory.ts'
import { type Job, type JobResult, perform } from './jobs.ts'

export interface ToSandboxWorker {
  readonly job: Job
  /** After this time the worker ends by itself; the server should have killed it before. In milliseconds. */
  readonly giveUpMs: number
}

export type FromSandboxWorker =
  | { readonly type: 'ready' }
  | { readonly type: 'done'; readonly result: JobResult }
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

function receive({ job, giveUpMs }: ToSandboxWorker): void {
  try {
    let result: JobResult | undefined
    context['work'] = () => (result = perform(job))
    script.runInContext(context, { timeout: giveUpMs })
    if (result !== undefined) send({ type: 'done', result })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT')
      process.exit(1)
    send({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
  worked()
}

function send(message: FromSandboxWorker): void {
  // If the server has ended, sending fails and `disconnect` follows.
  process.send?.(message, undefined, undefined, () => {})
}
