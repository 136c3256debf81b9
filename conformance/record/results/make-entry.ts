// Makes an entry of the public record from a report of the judge, and compares the two.
import { createHash } from 'node:crypto'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { utf8 } from '../../../harness/http/exchange.ts'
import { parseJson } from '../../../harness/json-value.ts'
import { whyTooCostly } from '../../../harness/bounds/read-file.ts'
import { type Report, reportSchema } from '../../contract/report.ts'
import { type Problem, checkOutcomes, problem } from './check/check-entry.ts'
import { isFailure } from './outcomes.ts'
import { ENTRY_SCHEMA, type Entry } from './result-entry.ts'

/** The members of an entry that no report has. */
export type Added = Pick<
  Entry,
  'name' | 'version' | 'flags' | 'platform' | 'model' | 'provenance' | 'reproduce'
>

export type ReadReport = ReturnType<typeof readReport>

/** Reads a report. Throws `UsageError` if it is not one. */
export function readReport(bytes: Uint8Array, file: string) {
  const text = (utf8(bytes) ?? '').replace(/^\uFEFF/, '')
  const parsed = reportSchema.safeParse(whyTooCostly(text) === undefined ? parseJson(text) : undefined)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const at =
      issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: ${issue.message}; `
    throw new UsageError(`${file}: ${at}expected a report that the judge wrote with --json`)
  }
  return {
    report: parsed.data,
    digest: digestOf(bytes),
  }
}

export const digestOf = (bytes: Uint8Array): string =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`

/**
 * Makes the entry. Throws `UsageError` if the report is not that of a complete run.
 *
 * @param bundle the bundle that has the report
 */
export function makeEntry({ report, digest }: ReadReport, added: Added, bundle?: Uint8Array): Entry {
  const { name, version, flags, platform, model, provenance, reproduce } = added
  const { kind, profile } = judgedAs(report)
  const failed = report.checks.filter(({ outcome }) => isFailure(outcome))
  const entry: Entry = {
    schema: ENTRY_SCHEMA,
    catalogue: report.catalogue?.version ?? report.catalogueVersion,
    kind,
    name,
    version,
    profile,
    date: report.startedAt.slice(0, 10),
    seed: report.seed,
    flags,
    platform,
    ...(model === undefined ? {} : { model }),
    provenance,
    reproduce,
    report: digest,
    ...(bundle === undefined ? {} : { bundle: digestOf(bundle) }),
    requests: report.requests,
    seconds: Math.round(report.durationMs / 1000),
    checks: sorted(report.checks.map(({ id, outcome }) => [id, outcome])),
    ...(failed.length === 0
      ? {}
      : { evidence: sorted(failed.map((check) => [check.id, evidenceOf(check)])) }),
  }
  if (report.interrupted === true) throw new UsageError('the run was interrupted; expected a complete one')
  if (report.endedEarly !== undefined)
    throw new UsageError(`the run ended early (${report.endedEarly}); expected a complete one`)
  const [incomplete] = checkOutcomes(entry)
  if (incomplete === undefined) return entry
  const { place, received, expected } = incomplete
  throw new UsageError(
    `expected a complete run, without --only, --quick, --strict and --require; ${place}: received ${received}, expected ${expected}`,
  )
}

/** The kind of the subject, and the rows by which it was judged. Throws `UsageError` for a recording. */
function judgedAs({ subject, target, checks }: Report): Pick<Entry, 'kind' | 'profile'> {
  if (subject === undefined) return { kind: 'server', profile: target.profile }
  if (subject === 'client') return { kind: 'client', profile: 'client' }
  if (subject === 'recording')
    throw new UsageError('the report is of a recording; expected one of a server, a gateway or a client')
  const isScripted = checks.some(({ requirement }) => requirement.startsWith('GATE-'))
  return { kind: 'gateway', profile: isScripted ? 'gateway' : 'wire' }
}

/** The problems of an entry beside the report that it was made from. */
export function checkReport(entry: Entry, { report, digest }: ReadReport): readonly Problem[] {
  if (digest !== entry.report)
    return [problem('report', entry.report, `${digest}, the digest of the given report`)]
  const outcomes = new Map(report.checks.map(({ id, outcome }) => [id, outcome]))
  return Object.entries(entry.checks)
    .filter(([id, outcome]) => outcomes.get(id) !== outcome)
    .map(([id, outcome]) =>
      problem(`checks.${id}`, `"${outcome}"`, `"${outcomes.get(id) ?? 'nothing'}", as in the report`),
    )
}

/** A digest of what was expected and received, without the long numbers and ids that differ from run to run. */
export function evidenceOf({ expected = '', actual = '' }: Report['checks'][number]): string {
  const text = `${expected}\n${actual}`.replaceAll(/\d{4,}(\.\d+)?|\d+\.\d+|(?=\w*\d)\w{12,}/g, '0')
  return createHash('sha256').update(text).digest('hex').slice(0, 8)
}

function sorted<Value>(pairs: readonly (readonly [string, Value])[]): Record<string, Value> {
  return Object.fromEntries(pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
