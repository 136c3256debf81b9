// npm run bench: runs the benchmarks that the command line names.
import { writeFileSync } from 'node:fs'
import { runProgram } from '../harness/cli/run-program.ts'
import { stopAll } from './bench/bench-processes.ts'
import { type BenchOptions, type Benchmark, readOptions } from './bench/bench-options.ts'
import { benchJudge } from './bench/bench-judge.ts'
import { type Figure, table } from './bench/bench-rows.ts'
import { benchLimits, benchWorkload } from './bench/bench-workloads.ts'
import { benchLlama } from './bench/llama/bench-llama.ts'

/** The figures of a benchmark: rows, and other figures for `--json`. */
interface Measured {
  readonly rows: readonly Figure[]
  readonly points?: unknown
}

const BENCHMARKS: Readonly<
  Record<Benchmark, (options: BenchOptions, signal: AbortSignal) => Promise<Measured>>
> = {
  'echo-plain': async (options) => ({ rows: await benchWorkload('echo-plain', options) }),
  'echo-streamed': async (options) => ({ rows: await benchWorkload('echo-streamed', options) }),
  models: async (options) => ({ rows: await benchWorkload('models', options) }),
  limits: async (options) => ({ rows: await benchLimits(options) }),
  judge: async (_, signal) => ({ rows: await benchJudge(signal) }),
  llama: benchLlama,
}

async function run(options: BenchOptions, signal: AbortSignal): Promise<number> {
  // A measurement ends with its servers.
  signal.addEventListener('abort', stopAll, { once: true })
  try {
    const rows: Figure[] = []
    let points: unknown
    for (const name of options.names) {
      const measured = await BENCHMARKS[name](options, signal)
      rows.push(...measured.rows)
      points ??= measured.points
    }
    process.stdout.write(table(rows))
    if (options.json !== undefined)
      writeFileSync(options.json, `${JSON.stringify({ rows, points }, null, 2)}\n`)
  } finally {
    stopAll()
  }
  return 0
}

await runProgram({ name: 'bench', read: readOptions, expected: [], safe: (text) => text, run })
