// The memory of a process and of all its descendants, and its processor time, from the kernel of Linux; unknown on other systems.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** The interval between two readings of the memory, in milliseconds. */
const MEMORY_EVERY_MS = 1_000

/**
 * Resident memory in MiB; undefined if it cannot be read. A page that several processes share, such as those of the program,
 * counts once in all, as in the limit of a container.
 */
export function memoryOf(pid: number): number | undefined {
  const own = residentMib(pid)
  if (own === undefined) return undefined
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => ({ pid: Number(name), parent: parentOf(name) }))
  const family = [pid]
  for (const of of family)
    family.push(...parents.filter(({ parent }) => parent === of).map((child) => child.pid))
  return family.slice(1).reduce((sum, child) => sum + (residentMib(child) ?? 0), own)
}

function residentMib(pid: number): number | undefined {
  const [, kib] = /^Pss:\s*(\d+) kB$/m.exec(read(`/proc/${pid}/smaps_rollup`)) ?? []
  return kib === undefined ? undefined : Number(kib) / 1024
}

/** The most memory that a process has had so far, in MiB; undefined if it cannot be read. */
export function peakOf(pid: number): number | undefined {
  const [, kib] = /^VmHWM:\s*(\d+) kB$/m.exec(read(`/proc/${pid}/status`)) ?? []
  return kib === undefined ? undefined : Number(kib) / 1024
}

/** A clock tick of the kernel, in milliseconds: it has reported hundredths of a second on every machine for decades. */
const TICK_MS = 10

/** The processor time that all threads of a process have taken so far, in milliseconds; undefined if it cannot be read. */
export function processorMsOf(pid: number): number | undefined {
  const fields = /^.*\) (.*)/s.exec(read(`/proc/${pid}/stat`))?.[1]?.split(' ')
  return fields === undefined ? undefined : (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

/** The name of the process, before the last `)`, may contain any character. */
const parentOf = (pid: string): number => Number(/^.*\) \S (\d+)/s.exec(read(`/proc/${pid}/stat`))?.[1])

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Watches the memory of a process from now on, until it is `settle`d. */
export function watchMemory(pid: number | undefined) {
  const now = (): number | undefined => {
    const mib = pid === undefined ? undefined : memoryOf(pid)
    return mib === undefined ? undefined : Math.round(mib)
  }
  const start = now()
  let peak = start ?? 0
  const timer = setInterval(() => (peak = Math.max(peak, now() ?? 0)), MEMORY_EVERY_MS).unref()

  /** Waits until it is at most `growth` MiB more than at the start. */
  async function settle(growth: number, settleMs: number, signal: AbortSignal) {
    const limit = (start ?? 0) + growth
    let end = now()
    for (let waited = 0; waited < settleMs && (end ?? 0) > limit; waited += MEMORY_EVERY_MS) {
      await sleep(MEMORY_EVERY_MS, undefined, { signal })
      end = now()
    }
    clearInterval(timer)
    return start === undefined || end === undefined ? undefined : { start, peak, end, limit }
  }
  return { settle }
}
