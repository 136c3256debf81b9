// Judges the outcome of an attack: an answer must be whole, in time, of a known status and, if it refuses, in the error
// envelope. Equal violations are counted together.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { type Attack, KEY_PLACE, type Position, attackSchema } from './attack.ts'
import type { Outcome } from './send-attack.ts'

/** The most kinds of violation in a report, and the most attacks that are kept of each. */
const MOST_VIOLATIONS = 50
const MOST_EXAMPLES = 3

export interface Example {
  /** The place of the attack, for example `seed 7, connection 2, number 31`. */
  readonly where: string
  /** The file that `--replay` sends again. */
  readonly file: string
}

export interface Placed {
  readonly attack: Attack
  readonly place: Position
}

export class Violations {
  readonly #found = new Map<string, { count: number; examples: Example[] }>()
  #folder: string | undefined

  /** Counts a violation and keeps its attacks if they are among the first of their kind. */
  add(what: string, attacks: readonly Placed[] = []): void {
    const known = this.#found.get(what)
    if (known === undefined && this.#found.size >= MOST_VIOLATIONS) return
    const found = known ?? { count: 0, examples: [] }
    found.count += 1
    if (found.count <= MOST_EXAMPLES) found.examples.push(...attacks.map((attack) => this.#keep(attack)))
    this.#found.set(what, found)
  }

  all() {
    return Array.from(this.#found, ([what, found]) => ({ what, ...found }))
  }

  keep({ attack }: Placed, name: string): string {
    this.#folder ??= mkdtempSync(join(tmpdir(), 'touchstone-fuzz-'))
    const file = join(this.#folder, `${name}.json`)
    writeFileSync(file, `${JSON.stringify(attack)}\n`)
    return file
  }

  #keep(placed: Placed): Example {
    const { seed, connection, number } = placed.place
    const file = this.keep(placed, `${seed}-${connection}-${number}`)
    return { where: `seed ${seed}, connection ${connection}, number ${number}`, file }
  }
}

/** The allowed statuses for any request: never a 500. Pages may redirect. */
const ALLOWED_STATUSES: ReadonlySet<number> = new Set([200, 302, 400, 401, 404, 429, 503])

/** Returns the problem as a text that is the same for the same fault; undefined if there is none. */
export function problemOf(
  { stallMs, share }: Attack,
  { ending, status, start, end }: Outcome,
): string | undefined {
  switch (ending) {
    case 'left':
    case 'refused':
      // A connection that closes while a body is sent may lose the answer.
      return undefined
    case 'late':
      return status === undefined ? 'no answer within the bound' : 'no end of the answer within the bound'
    case 'closed':
      // An incomplete request needs no answer.
      return share === undefined ? 'closed without an answer' : undefined
    case 'unreachable':
      return 'no connection'
    case 'cut':
      // The server may disconnect a client that does not read.
      return stallMs === undefined ? 'an answer that is cut' : undefined
    case 'answered':
  }
  const problem = problemOfAnswer(status, start)
  if (problem !== undefined) return problem
  if (/^data: \{"error":.*"api_error"/m.test(end)) return 'a stream that ends with an internal error'
  return undefined
}

/** The problem of a whole answer, of which only the beginning is needed; undefined if there is none. */
export function problemOfAnswer(status: number | undefined, start: string): string | undefined {
  if (status === undefined || !ALLOWED_STATUSES.has(status)) return `status ${status}`
  if (status >= 400 && !/"error"\s*:\s*\{/.test(start)) return `status ${status} without the error envelope`
  return undefined
}

/** Reads an attack that was kept. Throws `UsageError`. */
export function readAttack(file: string): Attack {
  try {
    return attackSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    const why = error instanceof z.ZodError ? `no attack with ${KEY_PLACE} in its head` : String(error)
    throw new UsageError(`--replay: ${file}: ${why.split('\n')[0]}`)
  }
}
