// Runs the judge as its users do, in a separate process, with keys of a service's dashboard.
import { runProgram } from '../fixtures/run-program.fixture.ts'
import { KEY_COMMAND, type Operator } from './start-cluster.ts'

export interface JudgeOptions {
  readonly baseUrl: string
  readonly operator: Operator
  /** Further flags of the judge. */
  readonly flags?: readonly string[]
}

export type Verdict = Awaited<ReturnType<typeof judge>>

/**
 * Judges a service. Returns the MUST rows that apply, that could be judged and that do not hold, with the whole output of
 * the judge and its run time in seconds. Throws if the judge prints no result.
 */
export async function judge({ baseUrl, operator, flags = [] }: JudgeOptions) {
  const startedAt = performance.now()
  const { code, stdout, stderr } = await runProgram(['conformance/cli.js', '--base-url', baseUrl, ...flags], {
    ...process.env,
    CONFORMANCE_KEY_COMMAND: `${process.execPath} ${KEY_COMMAND}`,
    ...operator,
  })
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  const output = `exit ${code}\n${stdout}${stderr}`
  const numbers = /(\d+) of (\d+) MUST judged: \d+ hold, (\d+) do not/.exec(stdout)?.slice(1).map(Number)
  if (numbers === undefined) throw new Error(output)
  const [judged = 0, applicable = 0, broken = 0] = numbers
  return { code, applicable, judged, broken, output, seconds }
}

/** Throws with the judge's output, unless the service was judged in full and passed. */
export function expectGreen({ code, output }: Verdict): void {
  if (code !== 0) throw new Error(output)
}
