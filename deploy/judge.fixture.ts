// The judge as its users run it, in a process of its own, with keys of a service's dashboard.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { KEY_COMMAND } from './start-cluster.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The most that a process may print, in bytes. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024

export interface Finished {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program of the project to its end; never throws. */
export function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Finished> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      args,
      { cwd: root, env: { ...process.env, ...env }, maxBuffer: MAX_OUTPUT_BYTES },
      (_, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}

export interface JudgeOptions {
  readonly baseUrl: string
  /** The environment of the key command. */
  readonly operator: { readonly DASHBOARD_URL: string; readonly DASHBOARD_PASSWORD: string }
  /** What the judge is told beside. */
  readonly flags?: readonly string[]
}

/** Judges a service: the last line of what the judge says; where its verdict is not clean, all of it. */
export async function judge({ baseUrl, operator, flags = [] }: JudgeOptions): Promise<string> {
  const { code, stdout, stderr } = await run(['conformance/cli.ts', '--base-url', baseUrl, ...flags], {
    CONFORMANCE_KEY_COMMAND: `${process.execPath} ${KEY_COMMAND}`,
    ...operator,
  })
  return code === 0 ? (stdout.trimEnd().split('\n').at(-1) ?? '') : `exit ${code}\n${stdout}${stderr}`
}
