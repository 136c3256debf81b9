// Faulty and odd clients in one process: a call takes the place of a program, so that thousands of calls need no process of
// their own.
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { z } from 'zod'
import type { ProgramEnd, StartClient } from '../../../harness/judged-program.ts'
import { loadClient } from '../../subjects/index.ts'
import { rollUp } from '../../contract/verdict.ts'
import type { JudgedMutant, MutantKind, MutantPool, MutantRun } from './judge-mutants.ts'
import { CLIENTS, type Mutant } from './mutant.ts'
import { rowsInTable } from './mutant-verdict.ts'

/** The number of concurrent calls of each client. */
const CONCURRENCY = 32

export const faultyClients: MutantKind = {
  noun: 'client',
  together: Infinity,
  start: startClients,
}

async function startClients(_: readonly Mutant[], { seed, signal }: MutantRun): Promise<MutantPool> {
  const subject = await loadClient()
  const settings = subject.settings({ seed, concurrency: CONCURRENCY })
  const [whole, quick] = [subject.selection({}), subject.selection({ quick: true })]
  const quickRows = new Set(quick.checks.map(({ check }) => check.requirement))
  const child = spawn(process.execPath, [CLIENTS, '--pool'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const starterOf = startersIn(child)

  async function judge(client: Mutant): Promise<JudgedMutant> {
    const start = starterOf(client.id)
    // The slow scenarios are run for the mutants that name their rows.
    const selection = rowsInTable(client).every((row) => quickRows.has(row)) ? quick : whole
    // The clients run in one process of their own, so nothing here delays the service.
    const serve = subject.serveScenarios
    const { observed } = await subject.observe({ settings, selection, seed, start, serve, signal })
    const checks = subject.judgeObserved(selection, observed, { strict: false, interrupted: false })
    const open = rollUp(checks).filter(({ outcome }) => outcome === 'inconclusive')
    const note = open.length === 0 ? undefined : `inconclusive: ${open.map(({ id }) => id).join(' ')}`
    return { checks, note }
  }

  const covered = new Set(subject.rows('service').map(({ id }) => id))
  return { covered, judge, [Symbol.asyncDispose]: () => stop(child) }
}

const ending = z.object({ call: z.number(), exitCode: z.number(), stdout: z.string(), stderr: z.string() })

/** Returns a function that gives the starter of the client with an id. */
function startersIn(child: ChildProcessByStdio<Writable, Readable, null>): (id: string) => StartClient {
  const waiting = new Map<number, { readonly resolve: (end: ProgramEnd) => void; isOverdue: boolean }>()
  let calls = 0
  const order = (line: unknown): void => void child.stdin.write(`${oneLine(line)}\n`)

  createInterface({ input: child.stdout }).on('line', (line) => {
    const { call, ...end } = ending.parse(JSON.parse(line))
    const own = waiting.get(call)
    waiting.delete(call)
    own?.resolve({ ...end, signal: null, isOverdue: own.isOverdue })
  })
  child.once('exit', () => {
    const end = { exitCode: null, signal: 'SIGKILL', isOverdue: false, stdout: '' } as const
    for (const [call, { resolve }] of waiting)
      resolve({ ...end, stderr: `the pool has ended (call ${call})` })
    waiting.clear()
  })
  return (id) =>
    function startInPool({ env }) {
      const call = (calls += 1)
      const { promise, resolve } = Promise.withResolvers<ProgramEnd>()
      waiting.set(call, { resolve, isOverdue: false })
      order({ call, id, env })
      return {
        ended: promise,
        signal: (name) => order({ call, signal: name }),
        kill() {
          const own = waiting.get(call)
          if (own === undefined) return
          own.isOverdue = true
          order({ call, signal: 'kill' })
        },
      }
    }
}

/** JSON on one line, also for readers that end a line at a Unicode separator. */
function oneLine(value: unknown): string {
  return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'close')
}
