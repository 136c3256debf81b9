// One client library against a reference server of its own: its program tries each use of the library and says of each
// whether it worked.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { z } from 'zod'
import { parseJson } from '../../harness/verify/json-value.ts'
import { withReferenceServer } from './reference-environment.ts'

const root = join(import.meta.dirname, '..', '..')
const execute = promisify(execFile)

/** The most that one program may take, in milliseconds: large libraries take seconds to start. */
const TIMEOUT_MS = 300_000

/** What a program prints of a use. Libraries print lines of their own, which may be JSON too. */
const line = z.object({ use: z.string(), error: z.string().optional() })

/** For each use that was tried, undefined where it worked, or what went wrong. */
export type Tried = ReadonlyMap<string, string | undefined>

/** Runs `command`, words from the root of the project. Throws where the program itself fails. */
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
