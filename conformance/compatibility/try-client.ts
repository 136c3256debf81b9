// Runs the program of one client library against a service. The program tries each use of the library, and prints the
// result of each.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { parseJson } from '../../harness/json-value.ts'

const root = join(import.meta.dirname, '..', '..')
const execute = promisify(execFile)

/** The time limit of a program, in milliseconds: large libraries take seconds to start. */
const TIMEOUT_MS = 300_000

/** The result of a use, as a program prints it. Libraries print other lines, which may be JSON too. */
const line = z.object({ use: z.string(), error: z.string().optional(), skipped: z.string().optional() })

/** The result of a use: `works`, or why it does not, or why it was not tried. */
export interface Tried {
  readonly use: string
  readonly outcome: 'works' | 'fails' | 'not tried'
  readonly reason?: string
}

/** The end of a program that did not end as it should. */
const stopped = z.object({ stdout: z.string(), killed: z.boolean() })

/**
 * Runs `command` in the root of the project with the environment of a service. Undefined if the program does not exist:
 * its library is not installed. A program that does not end has one failed use more.
 */
export async function tryClient(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<readonly Tried[] | undefined> {
  const [program = '', ...args] = command
  try {
    const { stdout } = await execute(program === 'node' ? process.execPath : program, args, {
      cwd: root,
      timeout: TIMEOUT_MS,
      env: { ...process.env, ...env },
      signal,
    })
    return stdout.split('\n').flatMap(triedIn)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    signal?.throwIfAborted()
    const end = stopped.safeParse(error)
    if (!end.success) throw error
    const reason = end.data.killed ? `no end within ${TIMEOUT_MS / 1000} s` : String(error)
    return [...end.data.stdout.split('\n').flatMap(triedIn), { use: 'the program', outcome: 'fails', reason }]
  }
}

function triedIn(text: string): readonly Tried[] {
  const read = line.safeParse(parseJson(text))
  if (!read.success) return []
  const { use, error, skipped } = read.data
  if (error !== undefined) return [{ use, outcome: 'fails', reason: error }]
  return skipped === undefined
    ? [{ use, outcome: 'works' }]
    : [{ use, outcome: 'not tried', reason: skipped }]
}
