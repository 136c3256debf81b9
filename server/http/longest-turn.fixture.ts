// How long work blocks the event loop, measured in processor time: a busy machine does not lengthen it.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** The most processor time that one turn of this thread's event loop took while `work` ran, in milliseconds. */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let done = false
  let before = process.threadCpuUsage()
  const finished = work().finally(() => (done = true))
  while (!done) {
    await nextTurn()
    const { user, system } = process.threadCpuUsage(before)
    before = process.threadCpuUsage()
    longest = Math.max(longest, (user + system) / 1000)
  }
  await finished
  return longest
}
