// Makes an entry of the record from a report of the judge.
import { createHash } from 'node:crypto'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { utf8 } from '../../../harness/http/exchange.ts'
import { parseJson } from '../../../harness/verify/json-value.ts'
import { listed } from '../../report/labels.ts'
import { type Report, reportSchema } from '../../contract/report.ts'
import { checksOf, isFailure, isOutcomeOf } from './checks-of.ts'
import { ENTRY_SCHEMA, type Entry } from './entry.ts'

/** The members of an entry that no report has. */
export type Added = Pick<
  Entry,
  'name' | 'version' | 'flags' | 'platform' | 'model' | 'provenance' | 'reproduce'
>

export type ReadReport = ReturnType<typeof readReport>

/** Reads a report. Throws `UsageError` if it is not one. */
export function readReport(bytes: Uint8Array, file: string) {
  const parsed = reportSchema.safeParse(parseJson((utf8(bytes) ?? '').replace(/^\uFEFF/, '')))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const at =
      issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: ${issue.message}; `
    throw new UsageError(`${file}: ${at}expected a report that the judge wrote with --json`)
  }
  return {
    report: parsed.data,
    digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
  }
}

/** Makes the entry. Throws `UsageError` if the report is not that of a complete run. */
export function makeEntry({ report, digest }: ReadReport, added: Added): Entry {
  const { name, version, flags, platform, model, provenance, reproduce } = added
  const catalogue = report.catalogue?.version ?? report.catalogueVersion
  const judged = { catalogue, ...judgedAs(report) }
  refuseUnlessComplete(report, judged)
  const failed = report.checks.filter(({ outcome }) => isFailure(outcome))
  return {
    schema: ENTRY_SCHEMA,
    catalogue,
    kind: judged.kind,
    name,
    version,
    profile: judged.profile,
    date: report.startedAt.slice(0, 10),
    seed: report.seed,
    flags,
    platform,
    ...(model === undefined ? {} : { model }),
    provenance,
    reproduce,
    report: digest,
    requests: report.requests,
    seconds: Math.round(report.durationMs / 1000),
    checks: sorted(report.checks.map(({ id, outcome }) => [id, outcome])),
    ...(failed.length === 0
      ? {}
      : { evidence: sorted(failed.map((check) => [check.id, evidenceOf(check)])) }),
  }
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

function refuseUnlessComplete(report: Report, judged: Pick<Entry, 'catalogue' | 'kind' | 'profile'>): void {
  const all = checksOf(judged)
  if (all === undefined)
    throw new UsageError(`the report is of catalogue ${judged.catalogue}, which this version does not have`)
  if (report.interrupted === true) throw new UsageError('the run was interrupted; expected a complete one')
  const ids = new Set(report.checks.map(({ id }) => id))
  const missing = [...all.keys()].filter((id) => !ids.has(id))
  if (missing.length > 0)
    throw new UsageError(
      `the report lacks ${listed(missing)}; expected a complete run, without --only and --quick`,
    )
  const unknown = report.checks.find(({ id }) => !all.has(id))
  if (unknown !== undefined)
    throw new UsageError(
      `the report has \`${unknown.id}\`, which is not a check of catalogue ${judged.catalogue}`,
    )
  const odd = report.checks.find(({ id, outcome }) => !isOutcomeOf(all.get(id)?.level ?? 'MUST', outcome))
  if (odd !== undefined)
    throw new UsageError(
      `\`${odd.id}\` is a ${odd.level} with outcome ${odd.outcome}; expected a run without --strict and --require`,
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
