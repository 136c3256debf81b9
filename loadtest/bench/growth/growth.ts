// Measures how the processor time of a request grows with its size and with the state of the server.
import { writeFileSync } from 'node:fs'
import { startServer } from '../contenders.ts'
import { measure, median, type Rounds } from '../measure.ts'
import { stopProcess } from '../processes.ts'
import { type Row, round } from '../table.ts'
import { growthChart, type Measured } from './chart.ts'
import { type Curve, curves, requestOf } from './curves.ts'
import { exponent, type Point } from './exponent.ts'

const CONNECTIONS = 8

/** The rows of all curves. Draws them into `chartFile`, if there is one. Only Linux reports processor time. */
export async function benchGrowth(
  counts: Omit<Rounds, 'connections'>,
  chartFile: string | undefined,
): Promise<Row[]> {
  const measured: Measured[] = []
  for (const curve of curves) {
    if (process.stderr.isTTY) process.stderr.write(`measuring growth with ${curve.unit} …\n`)
    measured.push(await measureCurve(curve, counts))
  }
  if (chartFile !== undefined) writeFileSync(chartFile, growthChart(measured))
  return measured.flatMap(rowsOf)
}

async function measureCurve(
  curve: Curve,
  { rounds, seconds, warmUpSeconds }: Omit<Rounds, 'connections'>,
): Promise<Measured> {
  const { name, unit, sizes, env = {}, body, prepare } = curve
  const server = await startServer({ env: { FAULTS: 'on', LLAMA_TINY: 'off', ...env } })
  const contenderOf = (size: number) => ({ ...server, request: requestOf(body, size, server.key) })
  await measure(contenderOf(sizes[0] ?? 1), warmUpSeconds, CONNECTIONS)
  const points: Point[] = []
  for (const size of sizes) {
    const end = await prepare?.(server, size)
    const micros: number[] = []
    for (let round = 0; round < rounds; round += 1)
      micros.push((await measure(contenderOf(size), seconds, CONNECTIONS)).cpuMicros ?? NaN)
    points.push({ size, cpuMicros: median(micros) })
    await end?.()
  }
  await stopProcess(server)
  return { name, unit, points }
}

function rowsOf({ name, unit, points }: Measured): Row[] {
  const rows = points.map(({ size, cpuMicros }) => ({
    name: `growth: ${size} ${unit}`,
    metric: 'CPU µs/request',
    ours: round(cpuMicros, 1),
  }))
  return [...rows, { name: `growth with ${name}`, metric: 'exponent', ours: round(exponent(points), 2) }]
}
