// The faulty and odd servers, clients and gateways, as their programs list them.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { z } from 'zod'
import { isRequirementId } from '../../../spec/catalogue/requirements.ts'
import { MODULE_ENDING } from '../../../harness/program.ts'

const fixtures = join(import.meta.dirname, '..', '..', '..', 'fixtures')
/** The programs that are every faulty server, every faulty client, and every faulty gateway. */
export const SERVERS = join(fixtures, 'faulty', `faulty-server${MODULE_ENDING}`)
export const CLIENTS = join(fixtures, 'faulty-clients', `faulty-client${MODULE_ENDING}`)
export const GATEWAYS = join(fixtures, 'faulty-gateways', `serve-gateways${MODULE_ENDING}`)

const row = z.string().refine(isRequirementId)
const rows = z.array(row).default([])
const common = {
  id: z.string(),
  description: z.string(),
  /** Flags of the judge that a run against it needs. */
  flags: z.array(z.string()).default([]),
  /** Keys must be made and revoked through the server itself. */
  watchesKeys: z.boolean().optional(),
  /** The parts that a derived server is made from. */
  parts: z.object({ field: z.string(), operator: z.string(), where: z.string() }).optional(),
}

const mutant = z.discriminatedUnion('kind', [
  z.object({
    ...common,
    kind: z.literal('fault'),
    requirement: row,
    /** Rows that may turn red as well. */
    alsoBreaks: rows,
    why: z.string().optional(),
    /** Only the checks of `requirement` can be run. */
    alone: z.boolean().default(false),
  }),
  z.object({
    ...common,
    kind: z.literal('oddity'),
    tolerances: rows,
    /** SHOULD rows that may end in a warning. */
    leavesUnmet: rows,
    /** It is judged without a key. */
    keyless: z.boolean().default(false),
    /** A deployment that does this. */
    source: z.string().optional(),
  }),
])

/** A server, client or gateway with one fault, or one that is odd and compliant. */
export type Mutant = z.infer<typeof mutant>

/** Lists the mutants of each kind, and the derived servers. */
export async function listAllMutants() {
  const [servers, derived, clients, gateways] = await Promise.all([
    listOf(SERVERS),
    listOf(SERVERS, '--derived'),
    listOf(CLIENTS),
    listOf(GATEWAYS),
  ])
  return { servers, derived, clients, gateways }
}

/** Reads what a program prints for `--list`. */
async function listOf(program: string, ...flags: readonly string[]): Promise<readonly Mutant[]> {
  const child = spawn(process.execPath, [program, '--list', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const chunks = await child.stdout.setEncoding('utf8').toArray()
  return z.array(mutant).parse(JSON.parse(chunks.join('')))
}
