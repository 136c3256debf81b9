// npm run bench: runs the benchmarks that the command line names.
import { writeFileSync } from 'node:fs'
import { runProgram } from '../harness/cli/run-program.ts'
import { stopAll } from './bench/bench-processes.ts'
import { type BenchOptions, type Benchmark, readOptions } from './bench/bench-options.ts'
import { benchJudge } from './bench/bench-judge.ts'
import { type Figure, table } from './bench/bench-rows.ts'
import { benchLimits, benchWorkload } from './bench/bench-workloads.ts'
import { benchLlama } from './bench/llama/bench-llama.ts'

const BENCHMARKS: Readonly<
  Record<Benchmark, (options: BenchOptions, signal: AbortSignal) => Promise<readonly Figure[]>>
> = {
  'echo-plain': (options) => benchWorkload('echo-plain', options),
  'echo-streamed': (options) => benchWorkload('echo-streamed', options),
  models: (options) => benchWorkload('models', options),
  limits: benchLimits,
  judge: (_, signal) => benchJudge(signal),
  llama: benchLlama,
}

async function run(options: BenchOptions, signal: AbortSignal): Promise<number> {
  // A measurement ends with its servers.
  signal.addEventListener('abort', stopAll, { once: true })
  try {
    const rows: Figure[] = []
    for (const name of options.names) rows.push(...(await BENCHMARKS[name](options, signal)))
    process.stdout.write(table(rows))
    if (options.json !== undefined) writeFileSync(options.json, `${JSON.stringify({ rows }, null, 2)}\n`)
  } finally {
    stopAll()
  }
  return 0
}

await runProgram({ name: 'bench', read: readOptions, expected: [], safe: (text) => text, run })
