// Ends synchronous work of unknown cost, such as a stranger's regular expression, after a time: nothing else can interrupt it.
import { createContext, Script } from 'node:vm'

/** The work took longer than it may. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong'
}

const script = new Script('work()')
const context = createContext({ work: undefined })

/** Returns the result of `work`, which blocks the process. Throws its error, or `TookTooLong` after `ms` milliseconds. */
export function withinTime<Result>(ms: number, work: () => Result): Result {
  Object.assign(context, { work })
  try {
    return script.runInContext(context, { timeout: ms })
  } catch (error) {
    if (Object(error).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
    throw new TookTooLong(`it took longer than ${ms} ms`)
  } finally {
    Object.assign(context, { work: undefined })
  }
}
