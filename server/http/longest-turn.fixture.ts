// How long work blocks the event loop, measured in processor time.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Other work on the machine can only lengthen a turn, so the shortest of several attempts is the truest. */
const ATTEMPTS = 15

/**
 * The most processor time that one turn of this thread's event loop took during `work`, in milliseconds. The work is
 * repeated until that is below `mostMs`, at most `ATTEMPTS` times; the result is the least of them.
 */
export async function longestTurnMs(mostMs: number, work: () => Promise<unknown>): Promise<number> {
  let least = Infinity
  for (let attempt = 0; attempt < ATTEMPTS && least >= mostMs; attempt += 1)
    least = Math.min(least, await measuredOnce(work))
  return least
}

async function measuredOnce(work: () => Promise<unknown>): Promise<number> {
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
