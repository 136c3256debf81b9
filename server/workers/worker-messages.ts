// The messages between the main thread and its workers. No request needs one.
import type { MessagePort } from 'node:worker_threads'
import type { LogMessage } from '../http/observability.ts'
import type { LimitMemory } from '../limits/memory-limiter.ts'

/** The data of a worker at its start. */
export interface WorkerPlace {
  /** Its number, from 0 on; a worker that replaces another one has the same. */
  readonly thread: number
  readonly limits: LimitMemory
  /** The port of the other workers; undefined for the first worker, which opens it and prints the lines of the start. */
  readonly port: number | undefined
}

export type ToWorker =
  /** Sent instead of a signal, which only the main thread receives. */
  | { readonly stop: NodeJS.Signals }
  /** Asks for the figures, which are sent to this port. */
  | { readonly figuresTo: MessagePort }

export type FromWorker =
  /** Sent when the worker serves. */
  { readonly port: number } | LogMessage
