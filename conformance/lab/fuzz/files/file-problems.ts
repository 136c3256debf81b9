// The problems of a judge that has read a hostile file, in addition to those of any judge.
import { lstatSync, readFileSync, readdirSync, existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type JudgeEnd, ONE_LINE, firstLine } from '../judge/judge-process.ts'

/** The processor time of one run, in milliseconds: unlike its time by the clock, it is the same on a busy machine. */
const MOST_CPU_MS = 20_000

/** Control characters except line ends, and invisible ones: a terminal obeys them instead of showing them. */
const DRIVES_TERMINAL = /(?!\n)[\p{Cc}\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u

/** Text of a file that a page contains as HTML. */
const IN_PAGE = /<script>alert\(1\)|<img src=x|(?:href|src)="?javascript:/i

export interface Contract {
  /** The exit codes that the command has. */
  readonly exits: readonly number[]
  /** Whether the given file is unreadable. */
  readonly isUnreadable: boolean
  /** The folder in which it may write nothing but its reports, and the earlier content of the folder. */
  readonly folder: string
  readonly before: ReadonlySet<string>
  readonly written: readonly string[]
}

export function fileProblems(end: JudgeEnd, contract: Contract): readonly string[] {
  const { exitCode, stdout, stderr, cpuMs = 0, isLate } = end
  const { exits, isUnreadable, folder, before, written } = contract
  if (isLate) return []
  const problems: string[] = []
  if (cpuMs > MOST_CPU_MS) problems.push(`more than ${MOST_CPU_MS / 1000} s of processor time`)
  if (exitCode !== null && !exits.includes(exitCode))
    problems.push(`exit code ${exitCode}; expected ${exits.join(', ')}: ${firstLine(stderr)}`)
  if (isUnreadable && exitCode !== 2) problems.push(`exit code ${exitCode} for a file that cannot be read`)
  // A damaged bundle is reported on stdout.
  if (exitCode === 2 && !ONE_LINE.test(stderr) && !(stderr === '' && /^ +damaged: .+$/m.test(stdout)))
    problems.push(`a refusal that is not one line: ${stderr.slice(0, 200)}`)
  if (exitCode !== 2 && stderr !== '')
    problems.push(`stderr with exit code ${exitCode}: ${firstLine(stderr)}`)
  for (const [name, text] of Object.entries({ stdout, stderr })) {
    const [shown] = /.{0,40}$/su.exec(text.slice(0, text.search(DRIVES_TERMINAL) + 1)) ?? []
    if (DRIVES_TERMINAL.test(text)) problems.push(`a control character on ${name}: ${JSON.stringify(shown)}`)
  }
  const page = join(folder, 'report.html')
  if (existsSync(page) && IN_PAGE.test(readFileSync(page, 'utf8')))
    problems.push('markup of the file in the page')
  const allowed = new Set([...before, ...written])
  const stray = listing(folder).filter((one) => !allowed.has(one) && !allowed.has(one.replace(/ .*$/, '')))
  if (stray.length > 0) problems.push(`written: ${stray.map((one) => one.replace(/ .*$/, '')).join(', ')}`)
  return problems
}

/** All files below a folder, each with its size and the time of its last change. */
export function listing(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name)
    const { size, mtimeMs } = lstatSync(path)
    const name = relative(folder, path)
    return entry.isDirectory() ? name : `${name} ${size} ${mtimeMs}`
  })
}
