// The faulty clients as one process that makes the calls of all of them. A call takes the place of a program, so that
// thousands of calls need no process of their own.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { z } from 'zod'
import type { StartClient } from '../../../harness/judged-program.ts'
import type { ProgramEnd } from '../../subjects/client/scenario.ts'
import { CLIENTS } from './mutant.ts'

const ending = z.object({ call: z.number(), exitCode: z.number(), stdout: z.string(), stderr: z.string() })

export function startClientPool() {
  const child = spawn(process.execPath, [CLIENTS, '--pool'], { stdio: ['pipe', 'pipe', 'inherit'] })
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
    for (const [call, { resolve }] of waiting)
      resolve({
        exitCode: null,
        signal: 'SIGKILL',
        isOverdue: false,
        stdout: '',
        stderr: `the pool has ended (call ${call})`,
      })
    waiting.clear()
  })
  return {
    starterOf: (id: string): StartClient =>
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
      },
    [Symbol.asyncDispose]: () => stop(child),
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
