// Compares workers with one process: on all cores together with the load, and on one core while the load has another one,
// where workers cannot be faster, so that only their processor time differs.
import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { type OurServer, startServer } from './bench-servers.ts'
import { compare, type Rounds } from './compare-rounds.ts'
import { type Row, rowsOf } from './bench-rows.ts'
import { rawRequest, workloads } from './http-workloads.ts'

/** Measures one worker for each core, at least two, with `connections` for each of them. */
export async function benchWorkers(given: Rounds): Promise<Row[]> {
  const count = Math.max(2, availableParallelism())
  const rounds = { ...given, connections: count * given.connections }
  const one = await startServer({ env: { LLAMA_TINY: 'off' } })
  const many = await startServer({ env: { LLAMA_TINY: 'off', WORKERS: String(count) } })

  async function rowsFor(place: string): Promise<Row[]> {
    const rows: Row[] = []
    for (const workload of workloads) {
      const asked = (server: OurServer) => ({ ...server, request: rawRequest(workload, server.key) })
      const [reference = [], ours = []] = await compare([asked(one), asked(many)], rounds)
      const name = `${workload.name}, ${count} workers${place}`
      rows.push(...rowsOf({ name, unit: workload.unit, referenceName: 'one process' }, ours, reference))
    }
    return rows
  }

  const rows = await rowsFor('')
  if (!(keepOn('0', one.pid) && keepOn('0', many.pid) && keepOn('1', process.pid))) return rows
  rows.push(...(await rowsFor(' on one core')))
  keepOn(`0-${availableParallelism() - 1}`, process.pid)
  return rows
}

/** Moves all threads of a process to these cores. Returns whether it could: only Linux has `taskset`. */
function keepOn(cores: string, pid: number): boolean {
  return spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(pid)]).status === 0
}
