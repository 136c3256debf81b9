// The processor time and the memory of the judge while one size of its work doubles. A linear cost at most doubles with
// it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, readFileSync, rmSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { settingsFor, startKeyedServer } from '../../harness/reference-server.ts'
import { folder } from './bench-processes.ts'
import { type Figure, round } from './bench-rows.ts'

const CLI = join(import.meta.dirname, '..', '..', 'conformance', 'cli.js')

/** Writes what the process has used to its fourth file, as JSON, when it ends. */
const USAGE = `data:text/javascript,${encodeURIComponent(`
  import fs from 'node:fs'
  process.on('exit', () => fs.writeSync(3, JSON.stringify(process.resourceUsage())))
`)}`

/** The cases of each property (`--runs`), on which the number of requests of a run depends. */
const RUNS = [25, 50, 100, 200]

/** The length of each answer, in characters; nearly every check fails, so all answers are kept as evidence. */
const ANSWER_CHARS = [65_536, 131_072, 262_144, 524_288]

/** The repetitions of the traffic of a quick run, about 0.4 MB each, in a recording. */
const REPETITIONS = [32, 64, 128, 256]

interface Cost {
  readonly seconds: number
  readonly memoryMib: number
}

/** Rows for runs with more and more requests, answers that are longer and longer, and longer and longer recordings. */
export async function benchJudge(signal: AbortSignal): Promise<Figure[]> {
  const capture = join(folder, 'quick.jsonl')
  const rows = await benchRuns(capture, signal)
  rows.push(...(await benchAnswers(signal)))
  const costs: Cost[] = []
  for (const count of REPETITIONS) {
    const recording = await repeated(capture, count)
    costs.push(await costOf(['recorded', recording], signal))
    rmSync(recording)
  }
  rows.push(...rowsOf('judge recorded, traffic of quick runs', REPETITIONS, costs))
  return rows
}

/** Judges a reference server with more and more requests; also captures a quick run. */
async function benchRuns(capture: string, signal: AbortSignal): Promise<Figure[]> {
  await using server = await startKeyedServer(signal, () => {}, { settings: settingsFor() })
  const { secret } = await server.keyMaker.create({ limit: { requests: 1_000_000, windowSeconds: 60 } })
  const target = ['--base-url', server.baseUrl, '--profile', 'wire']
  await costOf([...target, '--quick', '--capture', capture], signal, secret)
  const costs: Cost[] = []
  for (const runs of RUNS) costs.push(await costOf([...target, '--runs', String(runs)], signal, secret))
  return rowsOf('judge --runs', RUNS, costs)
}

/** Judges services that answer everything with a text of some length. */
async function benchAnswers(signal: AbortSignal): Promise<Figure[]> {
  const costs: Cost[] = []
  for (const chars of ANSWER_CHARS) {
    const body = JSON.stringify(completion('word '.repeat(chars / 5)))
    const server = http.createServer((incoming, outgoing) => {
      incoming.resume().on('end', () => outgoing.setHeader('content-type', 'application/json').end(body))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    costs.push(
      await costOf(['--base-url', url, '--model', 'm', '--profile', 'wire', '--quick'], signal, 'none'),
    )
    server.closeAllConnections()
    server.close()
  }
  return rowsOf('judge --quick, characters of an answer', ANSWER_CHARS, costs)
}

function completion(content: string): object {
  const choice = { index: 0, message: { role: 'assistant', content }, finish_reason: 'stop', logprobs: null }
  return { id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm', choices: [choice] }
}

/** Writes the exchanges of a capture several times into one file, and returns its path. */
async function repeated(capture: string, count: number): Promise<string> {
  const [head = '', ...exchanges] = readFileSync(capture, 'utf8').trimEnd().split('\n')
  const file = join(folder, `${count}.jsonl`)
  const writing = createWriteStream(file)
  writing.write(`${head}\n`)
  for (let at = 0; at < count; at++)
    if (!writing.write(`${exchanges.join('\n')}\n`)) await once(writing, 'drain')
  await once(writing.end(), 'finish')
  return file
}

/** The processor time and the peak of memory of the judge with these arguments. */
async function costOf(args: readonly string[], signal: AbortSignal, key = ''): Promise<Cost> {
  const child = spawn(process.execPath, ['--import', USAGE, CLI, ...args], {
    env: { ...process.env, CONFORMANCE_API_KEY: key },
    signal,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const [used] = await Promise.all([text(child.stdio[3] as NodeJS.ReadableStream), once(child, 'close')])
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(used) as NodeJS.ResourceUsage
  return { seconds: (userCPUTime + systemCPUTime) / 1e6, memoryMib: maxRSS / 1024 }
}

/** Each cost beside the cost if it had grown in proportion to the size. */
function rowsOf(name: string, sizes: readonly number[], costs: readonly Cost[]): Figure[] {
  return costs.flatMap((cost, at) => {
    const before = costs[at - 1]
    const growth = (sizes[at] ?? NaN) / (sizes[at - 1] ?? NaN)
    const row = (metric: string, ours: number, earlier: number | undefined): Figure => ({
      name: `${name}, ${sizes[at]}`,
      metric,
      ours: round(ours, 1),
      ...(earlier !== undefined && {
        reference: round(earlier * growth, 1),
        referenceName: 'twice the size before',
        ratio: round((earlier * growth) / ours, 2),
      }),
    })
    return [
      row('processor time, s', cost.seconds, before?.seconds),
      row('peak memory, MiB', cost.memoryMib, before?.memoryMib),
    ]
  })
}
