// npm run bench: runs the benchmarks that the command line names.
import { writeFileSync } from 'node:fs'
import { runProgram } from '../harness/cli/run-program.ts'
import { stopAll } from './bench/bench-processes.ts'
import { type BenchOptions, readOptions } from './bench/bench-options.ts'
import { benchJudge } from './bench/bench-judge.ts'
import { table } from './bench/bench-rows.ts'
import { benchSchemas } from './bench/bench-schemas.ts'
import { benchWorkers } from './bench/bench-workers.ts'
import { benchLimits, benchWorkloads, CONNECTIONS } from './bench/bench-workloads.ts'
import { benchLlama } from './bench/llama/bench-llama.ts'

async function run(options: BenchOptions, signal: AbortSignal): Promise<number> {
  // A measurement ends with its servers.
  signal.addEventListener('abort', stopAll, { once: true })
  const { names, extras, data, json } = options
  try {
    const rows = [
      ...(names.length > 0 ? await benchWorkloads(options) : []),
      ...(extras.has('limits') ? await benchLimits(options) : []),
      ...(extras.has('workers') ? await benchWorkers({ ...options, connections: CONNECTIONS }) : []),
    ]
    if (extras.has('judge')) rows.push(...(await benchJudge(signal)))
    if (data !== undefined && extras.has('schemas')) rows.push(...(await benchSchemas(data)))
    const inference = extras.has('llama') ? await benchLlama(options) : undefined
    const points = inference?.points
    rows.push(...(inference?.rows ?? []))
    process.stdout.write(table(rows))
    if (json !== undefined) writeFileSync(json, `${JSON.stringify({ rows, points }, null, 2)}\n`)
  } finally {
    stopAll()
  }
  return 0
}

await runProgram({ name: 'bench', read: readOptions, expected: [], safe: (text) => text, run })
