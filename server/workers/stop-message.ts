// The message with which the primary stops a worker.
/** Sent to a worker instead of a signal: a terminal sends its signals to all processes, and a second one means "at once". */
export interface Stop {
  readonly type: 'stop'
  readonly signal: NodeJS.Signals
}

/** Whether a message of the primary says so. */
export function isStop(message: unknown): message is Stop {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'stop'
}
