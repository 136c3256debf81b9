// Violations as they are found, the same ones counted together, and the files with which they are repeated.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { type Attack, KEY_PLACE, type Place, attackSchema } from './attack.ts'

/** The most kinds of violation in a report, and the most attacks that are kept of each. */
const MOST_VIOLATIONS = 50
const MOST_EXAMPLES = 3

export interface Example {
  /** As `seed 7, connection 2, number 31`. */
  readonly where: string
  /** To be sent again with `--replay`. */
  readonly file: string
}

export interface Placed {
  readonly attack: Attack
  readonly place: Place
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

/** Reads an attack that was kept. Throws `UsageError`. */
export function readAttack(file: string): Attack {
  try {
    return attackSchema.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    const why = error instanceof z.ZodError ? `no attack with ${KEY_PLACE} in its head` : String(error)
    throw new UsageError(`--replay: ${file}: ${why.split('\n')[0]}`)
  }
}
