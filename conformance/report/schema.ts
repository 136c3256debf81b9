// The JSON report, `touchstone.report/1`, as a schema. Programs read it: members are added, never renamed or removed.
import { z } from 'zod'

export const REPORT_SCHEMA = 'touchstone.report/1'

const outcome = z.enum(['pass', 'fail', 'warn', 'not-applicable', 'inconclusive', 'error'])
const level = z.enum(['MUST', 'SHOULD', 'MAY'])
const count = z.number().int().nonnegative()

/** A body is text where it is UTF-8, else base64; a long one is cut, and then its whole size is given. */
const body = {
  body: z.string().optional(),
  bodyBase64: z.string().optional(),
  bodyCutFromBytes: count.optional(),
}

/** In the order and spelling of the wire; repeated ones kept apart. */
const headers = z.array(z.tuple([z.string(), z.string()]))

const exchange = z.strictObject({
  request: z.strictObject({ method: z.string(), url: z.string(), headers, ...body }),
  /** Null where no answer came. */
  response: z
    .strictObject({
      status: z.number().int(),
      headers,
      ...body,
      /** How the answer ended, where HTTP did not end it. */
      ended: z.enum(['hung-up', 'left-open', 'broken', 'timeout', 'too-large']).optional(),
    })
    .nullable(),
  timings: z.strictObject({ firstByteMs: z.number(), totalMs: z.number() }).nullable(),
})

const check = z.strictObject({
  /** A stable slug, the same for pass and fail. */
  id: z.string(),
  requirement: z.string(),
  level,
  outcome,
  title: z.string(),
  /** Where something did not hold: what was expected, and what was seen instead. */
  expected: z.string().optional(),
  actual: z.string().optional(),
  /** On everything that is not a pass. */
  reason: z.string().optional(),
  /** The environment variable that would let an inconclusive check be judged. */
  variable: z.string().optional(),
  /** Why this failure is expected, where the baseline says so. */
  baseline: z.string().optional(),
  /** Where something did not hold: a curl line that sends the last request again, and the judge's own. */
  reproduce: z.string().optional(),
  rerun: z.string().optional(),
  durationMs: z.number(),
  /**
   * Of a client: when each attempt came, from the first one on, its answer's status, how long the client had waited,
   * and how long it should have, at least. Null where nothing was answered, waited or due.
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
  /** What it sent, and the tokens that the target counted for that. Absent where it only watched. */
  requests: count.optional(),
  tokens: count.optional(),
  /** The latest exchanges; where something did not hold, the evidence is the last one. */
  exchanges: z.array(exchange),
})

export const reportSchema = z.strictObject({
  schema: z.literal(REPORT_SCHEMA),
  /** Of the requirements that were judged by. */
  catalogueVersion: z.string(),
  /** Where `--catalogue` says so: the version whose checks were run, and the ids of those that came after it. */
  catalogue: z.strictObject({ version: z.string(), leftOut: z.array(z.string()) }).optional(),
  /** `client` where a program that calls a service was judged; left out for a service. */
  subject: z.literal('client').optional(),
  target: z.strictObject({
    /** The words that start the program that was judged; left out where it was not started by the judge. */
    command: z.array(z.string()).optional(),
    baseUrl: z.string(),
    profile: z.enum(['service', 'wire']),
    model: z.string(),
    /** What was discovered, and how. */
    facts: z.array(z.strictObject({ name: z.string(), value: z.unknown(), learned: z.string() })),
    capabilities: z.array(z.strictObject({ name: z.string(), offered: z.boolean(), learned: z.string() })),
  }),
  seed: count,
  /** Property cases per check. */
  runs: count,
  startedAt: z.string().datetime(),
  durationMs: z.number(),
  requests: count,
  /** As the target counts them in the usage of its answers; without those that have none. */
  tokens: z.strictObject({ prompt: count, completion: count }).optional(),
  /** True where the run was ended early: what was not judged by then is inconclusive. */
  interrupted: z.boolean().optional(),
  exitCode: z.union([z.literal(0), z.literal(1), z.literal(2), z.literal(3)]),
  totals: z.strictObject({
    pass: count,
    fail: count,
    warn: count,
    'not-applicable': count,
    inconclusive: count,
    error: count,
  }),
  /** MUST rows that apply, how many of them were judged, and the rows of any level without a case. */
  coverage: z.strictObject({ applicable: count, judged: count, notCovered: z.array(z.string()) }),
  /** What the judge itself could not do, as revoking a key. */
  faults: z.array(z.string()),
  /** Checks of the baseline that pass now. */
  staleBaseline: z.array(z.string()),
  /** Capabilities that `--require` names and the target does not offer. */
  missingCapabilities: z.array(z.string()),
  /** Capabilities that `--require` names and that could not be asked about. */
  unknownCapabilities: z.array(z.string()).optional(),
  requirements: z.array(z.strictObject({ id: z.string(), level, outcome })),
  checks: z.array(check),
})

export type Report = z.infer<typeof reportSchema>
export type ReportCheck = Report['checks'][number]
export type ReportExchange = ReportCheck['exchanges'][number]
