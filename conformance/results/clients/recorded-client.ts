// The published results of client libraries, kept in fixtures/results/clients/: the outcome of each row, and which checks
// failed and why, without figures that differ from run to run.
import { existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { type RequirementId, isRequirementId } from '../../../spec/catalogue/requirements.ts'
import type { Report } from '../../report/schema.ts'
import { causeMembers, failedChecks, failedIn } from '../causes.ts'

const drivers = new URL('../../../fixtures/clients/', import.meta.url)
const folder = new URL('../../../fixtures/results/clients/', import.meta.url)

const client = z.strictObject({
  /** The name of its folder, and of the file of its result. */
  name: z.string().regex(/^[a-z0-9-]+$/),
  title: z.string().min(1),
  /** The version of the library. */
  version: z.string().min(1),
  /** The settings that are not defaults, as Markdown. */
  setup: z.string().min(1).optional(),
  /** Starts it in the folder of the project. */
  command: z.array(z.string()).min(1),
})

const row = z.string().refine(isRequirementId, 'expected the id of a requirement')

const recordedClient = z.strictObject({
  version: z.string().min(1),
  /** The number of checks that were run, and those that could not be judged. */
  checks: z.number().int().positive(),
  inconclusive: z.array(z.string()),
  rows: z.array(
    z.strictObject({
      id: row,
      outcome: z.enum(['pass', 'fail', 'warn', 'not-applicable', 'inconclusive', 'error']),
    }),
  ),
  /** By the names of causes.json. */
  failed: failedChecks,
})

/** A library, as a program that calls a service. */
export type Client = z.infer<typeof client>
/** The result of one library. */
export type RecordedClient = z.infer<typeof recordedClient>
const causes = z.record(z.string(), z.strictObject(causeMembers))
/** Why checks fail, by name; several libraries may share a cause. */
export type Causes = z.infer<typeof causes>

/** Reads every library, in the order of the table. */
export function readClients(): readonly Client[] {
  return z.array(client).parse(read(new URL('clients.json', drivers)))
}

export function readCauses(): Causes {
  return causes.parse(read(new URL('causes.json', drivers)))
}

/** The file of a library's result. */
export function clientFile(name: string): URL {
  return new URL(`${name}.json`, folder)
}

/** Reads the result of a library; undefined if there is none. */
export function readClient(name: string): RecordedClient | undefined {
  const file = clientFile(name)
  return existsSync(file) ? recordedClient.parse(read(file)) : undefined
}

/** A library and its result. */
export interface Judged {
  readonly client: Client
  readonly result: RecordedClient
}

/** Reads the libraries that have a result, in the order of the table. */
export function readJudged(): readonly Judged[] {
  return readClients().flatMap((client) => {
    const result = readClient(client.name)
    return result === undefined ? [] : [{ client, result }]
  })
}

/** The result after a run: its rows and its failed checks, each with the cause that it had before. */
export function recordOf(
  { version }: Pick<Client, 'version'>,
  report: Pick<Report, 'checks' | 'requirements'>,
  before: RecordedClient | undefined,
): RecordedClient {
  const unjudged = report.checks.filter(({ outcome }) => outcome === 'inconclusive' || outcome === 'error')
  return {
    version,
    checks: report.checks.length,
    inconclusive: unjudged.map(({ id }) => id),
    rows: report.requirements.map(({ id, outcome }) => ({ id: requirementId(id), outcome })),
    failed: failedIn(report, before?.failed),
  }
}

function requirementId(id: string): RequirementId {
  if (!isRequirementId(id)) throw new Error(`no such requirement: ${id}`)
  return id
}

function read(file: URL): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}
