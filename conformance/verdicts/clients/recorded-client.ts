// The verdicts on client libraries as they are kept in fixtures/verdicts/clients/: the outcome of each row, and which
// checks failed and why, without anything that another run would measure differently.
import { existsSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { type RequirementId, isRequirementId } from '../../../spec/catalogue/requirements.ts'
import type { Report } from '../../report/schema.ts'

const drivers = new URL('../../../fixtures/clients/', import.meta.url)
const folder = new URL('../../../fixtures/verdicts/clients/', import.meta.url)

const client = z.strictObject({
  /** The name of its folder, and of the file of its verdict. */
  name: z.string().regex(/^[a-z0-9-]+$/),
  title: z.string().min(1),
  /** Of the library. */
  version: z.string().min(1),
  /** What is not the default, as Markdown; left out where all is. */
  setup: z.string().min(1).optional(),
  /** Starts it in the folder of the project. */
  command: z.array(z.string()).min(1),
})

const cause = z.strictObject({
  /** What the library does, in one sentence. */
  cause: z.string().min(1),
  /** Public threads about it. */
  issues: z.array(z.string().url()).optional(),
})

const row = z.string().refine(isRequirementId, 'expected the id of a requirement')

const recordedClient = z.strictObject({
  version: z.string().min(1),
  /** How many checks were run, and how many of them could not be judged. */
  checks: z.number().int().positive(),
  inconclusive: z.array(z.string()),
  rows: z.array(
    z.strictObject({
      id: row,
      outcome: z.enum(['pass', 'fail', 'warn', 'not-applicable', 'inconclusive', 'error']),
    }),
  ),
  /** The cause, by its name in causes.json, of each check that failed or warned; '' until somebody finds it. */
  failed: z.record(z.string(), z.string()),
})

/** A library as a program that calls a service. */
export type Client = z.infer<typeof client>
/** The verdict on one library. */
export type RecordedClient = z.infer<typeof recordedClient>
/** Why a check fails; several libraries may share it. */
export type Causes = Readonly<Record<string, z.infer<typeof cause>>>

/** Every library, in the order of the table. */
export function readClients(): readonly Client[] {
  return z.array(client).parse(read(new URL('clients.json', drivers)))
}

/** Why checks fail, by the names that verdicts use. */
export function readCauses(): Causes {
  return z.record(z.string(), cause).parse(read(new URL('causes.json', drivers)))
}

/** Where the verdict on a library is kept. */
export function clientFile(name: string): URL {
  return new URL(`${name}.json`, folder)
}

/** The verdict on a library; undefined where none is kept. */
export function readClient(name: string): RecordedClient | undefined {
  const file = clientFile(name)
  return existsSync(file) ? recordedClient.parse(read(file)) : undefined
}

/** A library and the verdict on it. */
export interface Judged {
  readonly client: Client
  readonly verdict: RecordedClient
}

/** The libraries that have a verdict, in the order of the table. */
export function readJudged(): readonly Judged[] {
  return readClients().flatMap((client) => {
    const verdict = readClient(client.name)
    return verdict === undefined ? [] : [{ client, verdict }]
  })
}

/** What is kept of a run. A check that failed before keeps its cause; another has none, '', until somebody finds it. */
export function recordOf(
  { version }: Pick<Client, 'version'>,
  report: Pick<Report, 'checks' | 'requirements'>,
  before: RecordedClient | undefined,
): RecordedClient {
  const failed = report.checks.filter(({ outcome }) => outcome === 'fail' || outcome === 'warn')
  const unjudged = report.checks.filter(({ outcome }) => outcome === 'inconclusive' || outcome === 'error')
  return {
    version,
    checks: report.checks.length,
    inconclusive: unjudged.map(({ id }) => id),
    rows: report.requirements.map(({ id, outcome }) => ({ id: requirementId(id), outcome })),
    failed: Object.fromEntries(failed.map(({ id }) => [id, before?.failed[id] ?? ''])),
  }
}

function requirementId(id: string): RequirementId {
  if (!isRequirementId(id)) throw new Error(`no such requirement: ${id}`)
  return id
}

function read(file: URL): unknown {
  return JSON.parse(readFileSync(file, 'utf8'))
}
