// The JSON report, `touchstone.report/1`, as a schema. Programs read it: members are added, never renamed or removed.
import { z } from 'zod'
import { MOST_HEADERS } from '../../harness/http/exchange.ts'
import { TIERS } from '../../spec/catalogue/section.ts'

export const REPORT_SCHEMA = 'touchstone.report/1'

/** The most checks and findings of a report: the catalogue has less than a tenth. */
const MOST_CHECKS = 20_000

const outcome = z.enum(['pass', 'fail', 'warn', 'not-applicable', 'inconclusive', 'error'])
const level = z.enum(['MUST', 'SHOULD', 'MAY'])
const count = z.number().int().nonnegative()
const tier = z.strictObject({ judged: count, hold: count })

/** A body is text if it is UTF-8, else base64; if it is cut, its full size is given, and its end if that is text. */
const body = {
  body: z.string().optional(),
  bodyBase64: z.string().optional(),
  bodyCutFromBytes: count.optional(),
  bodyEnd: z.string().optional(),
}

/** The order and spelling are those of the wire; repeated headers are separate entries. */
const headers = z.array(z.tuple([z.string(), z.string()])).max(MOST_HEADERS)

const exchange = z.strictObject({
  request: z.strictObject({ method: z.string(), url: z.string(), headers, ...body }),
  /** Null if no answer came. */
  response: z
    .strictObject({
      status: z.number().int(),
      headers,
      ...body,
      /** How the answer ended, if HTTP did not end it. */
      ended: z.enum(['hung-up', 'left-open', 'broken', 'timeout', 'too-large']).optional(),
    })
    .nullable(),
  /** The side of a gateway on which the exchange was seen. */
  hop: z.enum(['client', 'upstream']).optional(),
  timings: z.strictObject({ firstByteMs: z.number(), totalMs: z.number() }).nullable(),
})

const check = z.strictObject({
  /** A stable slug, the same for pass and fail. */
  id: z.string(),
  requirement: z.string(),
  level,
  outcome,
  title: z.string(),
  /** The expected and the actual value of a failure or warning. */
  expected: z.string().optional(),
  actual: z.string().optional(),
  /** The reason of every outcome but `pass`. */
  reason: z.string().optional(),
  /** The environment variable that would allow an inconclusive check to be judged. */
  variable: z.string().optional(),
  /** The reason of the expected outcome, from the baseline. */
  baseline: z.string().optional(),
  /** How to repeat a failure or warning: a curl line that sends the last request again, and the command that judges it again. */
  reproduce: z.string().optional(),
  rerun: z.string().optional(),
  /** The place of the evidence in a recording: a line of a capture, or an entry of a HAR. */
  place: z.string().optional(),
  /** The side at fault for a failure or warning through a gateway, or of a client with a server. */
  attribution: z.enum(['gateway', 'upstream', 'both', 'client', 'server']).optional(),
  durationMs: z.number(),
  /**
   * The attempts of a client: the time since the first one, the status of the answer, the actual wait, and the shortest
   * wait that is due. Null if nothing was answered, waited or due.
   */
  attempts: z
    .array(
      z.strictObject({
        atMs: z.number(),
        status: z.number().int().nullable(),
        waitedMs: z.number().nullable(),
        dueMs: z.number().nullable(),
      }),
    )
    .optional(),
  /** The requests that it sent, and the tokens that the target counted for them. Absent for an observer. */
  requests: count.optional(),
  tokens: count.optional(),
  /** The latest exchanges; the evidence of a failure is the last one. */
  exchanges: z.array(exchange),
})

/** Checks that one change of the target is likely to fix: they show the same cause. */
const finding = z.strictObject({
  /** The row that is named for it, and all rows: this one first, then the others that fail. */
  requirement: z.string(),
  requirements: z.array(z.string()),
  level,
  outcome,
  /** The behaviour of the target, in one line. */
  what: z.string(),
  count,
  /** The ids of its checks; the members that follow are those of the first one. */
  checks: z.array(z.string()),
  expected: z.string().optional(),
  actual: z.string().optional(),
  reproduce: z.string().optional(),
  rerun: z.string().optional(),
  /** The exchange that shows it; through a gateway, the one of the client. */
  exchange: exchange.optional(),
})

export const reportSchema = z.strictObject({
  schema: z.literal(REPORT_SCHEMA),
  /** The version of the requirements. */
  catalogueVersion: z.string(),
  /** The set of checks to which the run is pinned (`--catalogue`). */
  catalogue: z
    .strictObject({
      /** Its date. */
      version: z.string(),
      /** Empty: every check runs. */
      leftOut: z.array(z.string()),
      /** The checks that a dated set does not score: they ran, and are in no other member of the report. */
      notScored: z
        .array(
          z.strictObject({ id: z.string(), requirement: z.string(), outcome, reason: z.string().optional() }),
        )
        .optional(),
    })
    .optional(),
  /** `client` if a program that calls a service was judged, `recording` if files were, `gateway` if a gateway was, `pair` if a program with a service was; left out for a service. */
  subject: z.enum(['client', 'recording', 'gateway', 'pair']).optional(),
  target: z.strictObject({
    /** The words that start the judged program; left out if the judge did not start it. */
    command: z.array(z.string()).optional(),
    baseUrl: z.string(),
    profile: z.enum(['service', 'wire']),
    model: z.string(),
    /** The facts that were discovered, and how. */
    facts: z.array(z.strictObject({ name: z.string(), value: z.unknown(), learned: z.string() })),
    capabilities: z.array(z.strictObject({ name: z.string(), offered: z.boolean(), learned: z.string() })),
  }),
  seed: count,
  /** Property cases per check. */
  runs: count,
  startedAt: z.string().datetime(),
  durationMs: z.number(),
  requests: count,
  /** The sums of the usage in the answers of the target. */
  tokens: z.strictObject({ prompt: count, completion: count }).optional(),
  /** True if the run was ended early: checks that were not finished are inconclusive. */
  interrupted: z.boolean().optional(),
  /** Why the run no longer sent some or all requests: the target stopped answering them, or refused all of them. */
  endedEarly: z.string().optional(),
  /**
   * Waits that were cut short after they had lasted their whole time for nothing several times: their shortest length, and how
   * many ended so. No check judges an answer that was not waited for in full. Absent if there was none.
   */
  shortenedWaits: z
    .array(z.strictObject({ name: z.string(), wholeMs: z.number(), shortMs: z.number(), count }))
    .max(MOST_CHECKS)
    .optional(),
  exitCode: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
  totals: z.strictObject({
    pass: count,
    fail: count,
    warn: count,
    'not-applicable': count,
    inconclusive: count,
    error: count,
  }),
  /** The applicable MUST rows, how many of them were judged, and the rows of any level without a case. */
  coverage: z.strictObject({ applicable: count, judged: count, notCovered: z.array(z.string()) }),
  /**
   * The rows of servers by tier: those of level MUST and SHOULD that were judged, and how many of them hold. Absent for other
   * subjects, and in reports of earlier versions.
   */
  tiers: z.strictObject({ interop: tier, strict: tier }).optional(),
  /** Failures of the judge itself, such as a key that it could not revoke. */
  faults: z.array(z.string()),
  /** Checks of the baseline that pass now. */
  staleBaseline: z.array(z.string()),
  /** Checks that are not applicable, and not in the baseline; absent without `--baseline`. Rows of level MAY are left out. */
  noLongerOffered: z.array(z.string()).optional(),
  /** Capabilities that `--require` names and the target does not offer. */
  missingCapabilities: z.array(z.string()),
  /** Capabilities that `--require` names and that could not be asked about. */
  unknownCapabilities: z.array(z.string()).optional(),
  requirements: z.array(z.strictObject({ id: z.string(), level, tier: z.enum(TIERS).optional(), outcome })),
  /**
   * Checks that fail, warn, could not be judged or end in an error, grouped by cause, the worst first: each is in one finding.
   * Absent in reports of earlier versions.
   */
  findings: z.array(finding).max(MOST_CHECKS).optional(),
  checks: z.array(check).max(MOST_CHECKS),
})

export type Report = z.infer<typeof reportSchema>
export type ReportCheck = Report['checks'][number]
export type ReportFinding = NonNullable<Report['findings']>[number]
export type ReportExchange = ReportCheck['exchanges'][number]
