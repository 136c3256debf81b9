// Runs the judge as a process, by its command line, and reports problems of its end: it must end by itself, in time,
// within its memory, with a documented exit code and with the requested reports.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { at, listAt, parseJson } from '../../../../harness/json-value.ts'
import { peakOf, processorMsOf } from '../process-memory.ts'

/** How often the memory is read, in milliseconds: the system keeps the peak, so only the last reading matters. */
const READ_EVERY_MS = 100

/** The most that is kept of each of its outputs, in characters. */
const MOST_OUTPUT = 1_000_000

const CLI = join(import.meta.dirname, '..', '..', '..', 'cli.js')

/** The reports of a verdict. */
export const FORMATS = ['json', 'junit', 'html', 'markdown'] as const

export interface JudgeRun {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** The words behind `node` that start it; default: the judge. */
  readonly program?: readonly string[]
  /** Default: the folder of this process. */
  readonly cwd?: string
  /** The folder of its reports. */
  readonly folder: string
  /** The requested reports; default: `FORMATS`. */
  readonly formats?: readonly string[]
  /** The time in which it has announced to end, in milliseconds. */
  readonly boundMs: number
  readonly memoryMib: number
  readonly signal: AbortSignal
}

export interface JudgeEnd {
  readonly exitCode: number | null
  readonly stdout: string
  /** Its errors, without the lines of its progress. */
  readonly stderr: string
  readonly ms: number
  /** The processor time of all its threads; undefined if the system does not report it. */
  readonly cpuMs: number | undefined
  /** Undefined if the system does not report it. */
  readonly peakMib: number | undefined
  readonly isLate: boolean
}

/** Runs the judge to its end, or ends it when its time is over. */
export async function runJudge(run: JudgeRun): Promise<JudgeEnd> {
  const { program = [CLI], args, env, cwd, folder, formats = FORMATS, boundMs, signal } = run
  const reports = formats.flatMap((format) => [`--${format}`, join(folder, `report.${format}`)])
  const outer = Object.entries(process.env).filter(([name]) => !/^(CONFORMANCE_|GITHUB_)/.test(name))
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...program, ...args, ...reports], {
    cwd,
    env: { ...Object.fromEntries(outer), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kept = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]
      .setEncoding('utf8')
      .on('data', (piece: string) => (kept[name] = (kept[name] + piece).slice(0, MOST_OUTPUT)))
  let peakMib: number | undefined
  let cpuMs: number | undefined
  let isLate = false
  const kill = (): void => void child.kill('SIGKILL')
  const watching = setInterval(() => {
    if (child.pid === undefined) return
    peakMib = peakOf(child.pid) ?? peakMib
    cpuMs = processorMsOf(child.pid) ?? cpuMs
  }, READ_EVERY_MS)
  const late = setTimeout(() => {
    isLate = true
    kill()
  }, boundMs)
  signal.addEventListener('abort', kill, { once: true })
  try {
    const exitCode = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('close', resolve)
    })
    const stderr = kept.stderr.replaceAll(PROGRESS, '')
    return { exitCode, ...kept, stderr, ms: performance.now() - startedAt, cpuMs, peakMib, isLate }
  } finally {
    clearInterval(watching)
    clearTimeout(late)
    signal.removeEventListener('abort', kill)
  }
}

/** A progress line of the judge. */
const PROGRESS = /^\d+ of \d+ .*\n/gm

/** The one line of a refusal. */
export const ONE_LINE = /^[a-z]+: .+\n$/

/** The problems of the end of a judge, each as a text that is the same for the same fault. */
export function problemsOf(end: JudgeEnd, run: JudgeRun): readonly string[] {
  const { folder, formats = FORMATS, boundMs, memoryMib } = run
  const { exitCode, stderr, peakMib, isLate } = end
  if (isLate) return [`not ended within its bound of ${boundMs / 1000} s`]
  const problems: string[] = []
  if (exitCode === null || exitCode > 3) problems.push(`exit code ${exitCode ?? 'none, by a signal'}`)
  if (/\n\s+at .+:\d+/.test(stderr)) problems.push(`a stack on the terminal: ${firstLine(stderr)}`)
  if (peakMib !== undefined && peakMib > memoryMib) problems.push(`more than ${memoryMib} MiB of memory`)
  const missing = formats.filter((format) => !existsSync(join(folder, `report.${format}`)))
  if (missing.length > 0 && missing.length < formats.length)
    problems.push(`no report as ${missing.join(', ')}`)
  if (formats.length === 0) return problems
  // For a target that cannot be judged the judge prints one line and writes no report.
  if (missing.length === formats.length && (exitCode !== 2 || !ONE_LINE.test(stderr)))
    problems.push(`no report with exit code ${exitCode}: ${firstLine(stderr)}`)
  // Only a verdict has an exit code in the report.
  if (formats.length === FORMATS.length && !missing.includes('json'))
    problems.push(...problemsIn(join(folder, 'report.json'), exitCode))
  return problems
}

/** The problems of the judge itself that its report has. */
function problemsIn(file: string, exitCode: number | null): readonly string[] {
  const report = parseJson(readFileSync(file, 'utf8'))
  if (at(report, 'exitCode') !== exitCode)
    return [`exit code ${exitCode}, and ${String(at(report, 'exitCode'))} in the report`]
  const errors = listAt(report, 'checks').filter((check) => at(check, 'outcome') === 'error')
  return [
    ...listAt(report, 'faults').map((fault) => `a fault of the judge: ${firstLines(String(fault))}`),
    ...errors.map((check) => `an error of a check: ${firstLines(String(at(check, 'reason')))}`),
  ]
}

export const firstLine = (text: string): string =>
  (text.split('\n').find((line) => /\S/.test(line)) ?? '').slice(0, 200)

/** The message of an error and the first places of its stack. */
const firstLines = (text: string): string =>
  text
    .split('\n')
    .slice(0, 4)
    .map((line) => line.trim().replace(/file:\/\/\S*\/conformance\//, ''))
    .join(' | ')
    .slice(0, 500)
