// A worker of the sandbox: a process of its own that does one job after another, without the server's environment. The server kills it at the deadline; where there is no server any more, it ends by itself.
import { createContext, Script } from 'node:vm'
import { createIdleCollector } from '../../idle-memory.ts'
import { type Job, type JobResult, perform } from './jobs.ts'

export interface ToSandboxWorker {
  readonly job: Job
  /** After this time nobody waits any more, and the server should have killed this process, in milliseconds. */
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
// What is made once is made before anybody's time runs.
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
  // Where the server is gone, nobody hears it: `disconnect` comes then.
  process.send?.(message, undefined, undefined, () => {})
}
