// The memory of a process and of all that it started, as the kernel of Linux counts it. Elsewhere it is not known.
import { readdirSync, readFileSync } from 'node:fs'

/** Resident memory in MiB, shared pages counted for each process; undefined where it cannot be read. */
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
  const [, kib] = /^VmRSS:\s*(\d+) kB$/m.exec(read(`/proc/${pid}/status`)) ?? []
  return kib === undefined ? undefined : Number(kib) / 1024
}

/** What stands before the last `)` is the name of the process, which may hold anything. */
const parentOf = (pid: string): number => Number(/^.*\) \S (\d+)/s.exec(read(`/proc/${pid}/stat`))?.[1])

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
