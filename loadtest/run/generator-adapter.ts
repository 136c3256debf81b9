// An adapter of a load generator, as data: its command, and where its report has each figure. `loadtest/adapters` has those of known
// generators.
import { existsSync, readdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { z } from 'zod'
import { FileError, readGivenJson, readJsonFile, whyTooCostly } from '../../harness/bounds/read-file.ts'
import type { Reader } from '../../harness/cli/flag-values.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { isRecord, parseJson } from '../../harness/json-value.ts'
import {
  FIGURES,
  type Figure,
  type ReportedFigure,
  type ReportedFigures,
  type Statistic,
  isTime,
  readingsOf,
} from '../clock/reported-figures.ts'
import { STATISTICS } from '../latency/latency-figures.ts'

const folder = join(import.meta.dirname, '..', 'adapters')

/** The folder of a tokenizer of three words, `words`, which the commands of the adapters read. */
export const INPUTS = join(folder, 'inputs')

const MOST_ADAPTER_BYTES = 64 * 1024
const MOST_REPORT_BYTES = 64 * 1024 * 1024
/** The most files that a generator may write. */
const MOST_FILES = 10_000

const UNITS = { ms: 1, s: 1000, us: 0.001, ns: 0.000_001 } as const

const figureSchema = z.strictObject({
  /** A JSON Pointer (RFC 6901). `{}` in it stands for the name of a statistic; without it, it is the mean. */
  at: z.string().regex(/^\//),
  /** The unit of a time. */
  unit: z.enum(['ms', 's', 'us', 'ns']).default('ms'),
  /** The reading of a time that the generator documents, if it is not the usual one. */
  reading: z.string().optional(),
  /** It is the mean of the completed requests, of which the sum is meant. */
  each: z.boolean().default(false),
  /** The value of a member that the report leaves out. */
  absent: z.number().optional(),
})

const adapterSchema = z.strictObject({
  title: z.string(),
  home: z.string().optional(),
  version: z.string().optional(),
  install: z.string().optional(),
  /** The words of its command, if none is given; and its variables. */
  command: z.array(z.string()).default([]),
  env: z.record(z.string()).default({}),
  /** The end of the path of its report below `{out}`; absent: the last line of JSON that it prints. */
  file: z.string().optional(),
  /** The names of the statistics in its report. */
  statistics: z.record(z.enum(STATISTICS), z.string()).default({}),
  figures: z.record(z.enum(FIGURES as [Figure, ...Figure[]]), figureSchema),
})

export type Adapter = Readonly<z.infer<typeof adapterSchema>> & { readonly name: string }

const adapterNames = (): readonly string[] =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => basename(file, '.json'))

/** Reads the name of a known generator, or the file of an adapter. */
export const adapter: Reader<Adapter> = (value, flag) => {
  const isKnown = adapterNames().includes(value)
  const file = isKnown ? join(folder, `${value}.json`) : resolve(value)
  if (!existsSync(file))
    throw new UsageError(
      `${flag}: expected ${adapterNames().join(', ')} or the file of an adapter, got '${value}'`,
    )
  const parsed = adapterSchema.safeParse(readGivenJson(`${flag}: ${value}`, file, MOST_ADAPTER_BYTES))
  const [issue] = parsed.error?.issues ?? []
  if (issue !== undefined)
    throw new UsageError(`${flag}: ${value}: ${issue.path.join('.')}: ${issue.message}`)
  const { data } = parsed
  if (data === undefined) throw new UsageError(`${flag}: ${value}: expected an adapter`)
  for (const [name, { reading }] of Object.entries(data.figures)) {
    const readings = readingsOf(name as Figure)
    if (reading !== undefined && !readings.includes(reading))
      throw new UsageError(
        `${flag}: ${value}: figures.${name}.reading: expected ${readings.join(' or ') || 'none'}, got '${reading}'`,
      )
  }
  return { ...data, name: basename(value, '.json') }
}

/** The figures of a report, from what the generator printed and wrote to `out`; a text says why there are none. */
export function readFigures(adapter: Adapter, out: string, stdout: string): ReportedFigures | string {
  const report = adapter.file === undefined ? lastJson(stdout) : fileIn(out, adapter.file)
  if (typeof report === 'string') return report
  const figures: Partial<Record<Figure, ReportedFigure>> = {}
  for (const figure of FIGURES) {
    const place = adapter.figures[figure]
    if (place !== undefined)
      figures[figure] = { reading: place.reading, values: valuesOf(figure, place, adapter, report) }
  }
  return withCounts(withSums(figures, adapter))
}

/** Makes sums of the means of completed requests. */
function withSums(figures: ReportedFigures, adapter: Adapter): ReportedFigures {
  const { completed } = withCounts(figures)
  const summed = Object.entries(figures).flatMap(([name, figure]) => {
    if (adapter.figures[name as Figure]?.each !== true) return []
    const { mean } = figure.values
    const count = completed?.values.mean
    const values = mean === undefined || count === undefined ? {} : { mean: mean * count }
    return [[name, { ...figure, values }]]
  })
  return { ...figures, ...Object.fromEntries(summed) }
}

function valuesOf(figure: Figure, place: z.infer<typeof figureSchema>, adapter: Adapter, report: object) {
  const statistics = place.at.includes('{}') ? Object.entries(adapter.statistics) : [['mean', ''] as const]
  const values: Partial<Record<Statistic, number>> = {}
  for (const [statistic, name] of statistics) {
    const found = pointed(report, place.at.replaceAll('{}', name)) ?? place.absent
    const value = typeof found === 'string' && found.trim() !== '' ? Number(found) : found
    if (typeof value === 'number' && Number.isFinite(value))
      values[statistic as Statistic] = isTime(figure) ? value * UNITS[place.unit] : value
  }
  return values
}

/** The value at a JSON Pointer. */
function pointed(value: unknown, pointer: string): unknown {
  let here = value
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (Array.isArray(here)) here = /^\d+$/.test(name) ? here[Number(name)] : undefined
    else here = isRecord(here) && Object.hasOwn(here, name) ? here[name] : undefined
  }
  return here
}

/** Derives the third one of requests, completed and failed, if a report has two of them. */
function withCounts(figures: ReportedFigures): ReportedFigures {
  const [requests, completed, failed] = (['requests', 'completed', 'failed'] as const).map(
    (name) => figures[name]?.values.mean,
  )
  const count = (name: Figure, mean: number) => ({
    ...figures,
    [name]: { reading: undefined, values: { mean } },
  })
  if (requests === undefined && completed !== undefined && failed !== undefined)
    return count('requests', completed + failed)
  if (failed === undefined && requests !== undefined && completed !== undefined)
    return count('failed', requests - completed)
  if (completed === undefined && requests !== undefined && failed !== undefined)
    return count('completed', requests - failed)
  return figures
}

function lastJson(stdout: string): object | string {
  const line = stdout
    .split('\n')
    .findLast(
      (one) => /^\s*\{/.test(one) && whyTooCostly(one) === undefined && isRecord(parseJson(one.trim())),
    )
  return line === undefined ? 'it printed no line of JSON' : (parseJson(line.trim()) as object)
}

function fileIn(out: string, end: string): object | string {
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' })
  if (files.length > MOST_FILES) return `it wrote ${files.length} files, expected at most ${MOST_FILES}`
  const file = files.find((path) => path.endsWith(end))
  if (file === undefined) return `it wrote no ${end}`
  try {
    const report = readJsonFile(join(out, file), MOST_REPORT_BYTES)
    return typeof report === 'object' && report !== null ? report : `${end} is not JSON`
  } catch (error) {
    if (error instanceof FileError) return `${end}: ${error.message}`
    throw error
  }
}
