// Measures which real JSON Schemas the echo model accepts, and whether it returns a text unchanged exactly if the schema
// accepts it. The data are those of MaskBench (guidance-ai/jsonschemabench): a file for each schema, with values.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { at, listAt } from '../../harness/json-value.ts'
import { quantile } from '../theory/statistics.ts'
import { type Row, round } from './bench-rows.ts'
import { stopProcess } from './bench-processes.ts'
import { type OurServer, startServer } from './bench-servers.ts'

/** Requests that are in flight. */
const CONCURRENT = 4

/** Maximum number of attempts of a request for which the machine is too busy, and the wait between them. */
const ATTEMPTS = 20
const BUSY_MS = 500

/** The measurement of one schema. */
interface Measured {
  /** Undefined if it is accepted. */
  readonly refusal: string | undefined
  /** Each value of an accepted schema: whether it is valid, and whether it was returned unchanged. */
  readonly values: readonly { readonly isValid: boolean; readonly isKept: boolean }[]
  /** Time of the first request, in milliseconds. */
  readonly ms: number
}

/** Rows for the schemas in `data`, a checkout of the benchmark or a folder of its files. Names the refused ones on stderr. */
export async function benchSchemas(data: string): Promise<Row[]> {
  const checkout = join(data, 'maskbench', 'data')
  const folder = existsSync(checkout) ? checkout : data
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'))
  const server = await startServer()
  const measured: Measured[] = []
  const waiting = files.values()
  async function measureNext(): Promise<void> {
    for (const file of waiting) {
      const result = await measure(server, JSON.parse(readFileSync(join(folder, file), 'utf8')))
      if (result.refusal !== undefined) process.stderr.write(`${file}: ${result.refusal}\n`)
      measured.push(result)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT }, measureNext))
  await stopProcess(server)
  return rowsOf(measured)
}

async function measure(server: OurServer, entry: unknown): Promise<Measured> {
  const schema = at(entry, 'schema')
  const startedAt = performance.now()
  // The text is not JSON, so a value has to be found.
  const { refusal } = await ask(server, schema, 'Hello!')
  const ms = performance.now() - startedAt
  const values = []
  for (const value of refusal === undefined ? listAt(entry, 'tests') : []) {
    const text = JSON.stringify(at(value, 'data'))
    const answer = await ask(server, schema, text)
    values.push({ isValid: at(value, 'valid') === true, isKept: answer.text === text })
  }
  return { refusal, values, ms }
}

async function ask(
  { url, key }: OurServer,
  schema: unknown,
  content: string,
): Promise<{ text?: string; refusal?: string }> {
  const body = JSON.stringify({
    model: 'svc-0.1-echo',
    messages: [{ role: 'user', content }],
    response_format: { type: 'json_schema', json_schema: { name: 'schema', schema } },
  })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
    const answer: unknown = await response.json()
    if (response.ok) return { text: String(at(answer, 'choices', 0, 'message', 'content')) }
    if (response.status !== 503 || attempt === ATTEMPTS)
      return { refusal: String(at(answer, 'error', 'message')) }
    await sleep(BUSY_MS)
  }
}

function rowsOf(measured: readonly Measured[]): Row[] {
  const values = measured.flatMap((each) => each.values)
  const row = (metric: string, ours: number): Row => ({ name: 'schemas', metric, ours: round(ours, 2) })
  const share = (metric: string, isCounted: readonly boolean[]) =>
    row(`${metric} of ${isCounted.length}, %`, (100 * isCounted.filter(Boolean).length) / isCounted.length)
  const kept = (isWanted: boolean) =>
    values.filter(({ isValid }) => isValid === isWanted).map(({ isKept }) => isKept)
  return [
    share(
      'accepted',
      measured.map(({ refusal }) => refusal === undefined),
    ),
    share('valid values kept', kept(true)),
    share('invalid values kept', kept(false)),
    row(
      'p99 of the first answer, ms',
      quantile(
        measured.map(({ ms }) => ms),
        0.99,
      ),
    ),
  ]
}
