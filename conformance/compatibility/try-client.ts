// Runs the program of one client library against its own reference server. The program tries each use of the library,
// and prints the result of each.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { parseJson } from '../../harness/verify/json-value.ts'
import { withReferenceServer } from './reference-environment.ts'

const root = join(import.meta.dirname, '..', '..')
const execute = promisify(execFile)

/** The time limit of a program, in milliseconds: large libraries take seconds to start. */
const TIMEOUT_MS = 300_000

/** The result of a use, as a program prints it. Libraries print other lines, which may be JSON too. */
const line = z.object({ use: z.string(), error: z.string().optional() })

/** The error of each use that was tried; undefined if it worked. */
export type Tried = ReadonlyMap<string, string | undefined>

/** Runs `command` in the root of the project. Throws if the program itself fails. */
export async function tryClient(command: readonly string[]): Promise<Tried> {
  const [program = '', ...args] = command
  return await withReferenceServer(async (env) => {
    const { stdout } = await execute(program === 'node' ? process.execPath : program, args, {
      cwd: root,
      timeout: TIMEOUT_MS,
      env: { ...process.env, ...env },
    })
    return new Map(stdout.split('\n').flatMap(usesIn))
  })
}

function usesIn(text: string): [string, string | undefined][] {
  const read = line.safeParse(parseJson(text))
  return read.success ? [[read.data.use, read.data.error]] : []
}
