// The public record, `results/CATALOGUE/KIND/NAME/`: one entry for each judged version, `VERSION-PROFILE.json`, and beside
// them `causes.json`, which says what the implementation is and why its checks fail.
import { z } from 'zod'

export const ENTRY_SCHEMA = 'touchstone.result/1'

/** A folder name: it is part of an address on the site. */
export const slug = z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'expected lower-case words joined by "-"')
export const version = z
  .string()
  .regex(/^[0-9A-Za-z]+([.+_-][0-9A-Za-z]+)*$/, 'expected a version, for example 1.2.3')
const line = z.string().min(1).max(1000)
const count = z.number().int().nonnegative()
const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/)

/** The members that entries of all kinds have. */
export const ENTRY_PARTS = {
  line,
  count,
  digest,
  /** The version of the requirements (`CATALOGUE_VERSION`); entries of two versions are never compared. */
  catalogue: z.string().regex(/^[0-9]+$/),
  /** The day of the run, in UTC: `YYYY-MM-DD`. */
  date: z.string().regex(/^\d{4}-\d\d-\d\d$/),
  platform: z.strictObject({ os: line, arch: line, cores: count, node: line }),
}
const { catalogue, date, platform } = ENTRY_PARTS

export const kinds = ['server', 'gateway', 'client'] as const
export type Kind = (typeof kinds)[number]
/** The rows that were judged: of a server `wire` or `service`; of a gateway and a client their own. */
export const profiles = ['wire', 'service', 'gateway', 'client'] as const
export const outcomes = ['pass', 'fail', 'warn', 'not-applicable', 'inconclusive', 'error'] as const

/** The party that ran the judge: this project in its gate or by a recipe, the vendor, or a third party. */
export const provenances = ['reproduced', 'vendor', 'third-party'] as const

/** The outcome of every check of one version. It has no bodies, no keys and no addresses. */
export const entrySchema = z.strictObject({
  schema: z.literal(ENTRY_SCHEMA),
  catalogue,
  kind: z.enum(kinds),
  name: slug,
  version,
  profile: z.enum(profiles),
  date,
  seed: count,
  /** The flags of the judge, without addresses and credentials. */
  flags: z.array(line),
  platform,
  /** The model that answered, in words: `SmolLM2-135M-Instruct, Q4_1`. */
  model: line.optional(),
  provenance: z.enum(provenances),
  /** The commands that repeat it, in order. */
  reproduce: z.array(line).min(1),
  /** The digest of the full JSON report. */
  report: digest,
  /** The digest of the bundle beside the entry, `VERSION-PROFILE.zip`, if there is one: then every reader can judge it again. */
  bundle: digest.optional(),
  requests: count,
  seconds: count,
  /** The outcome of each check, by its id, sorted. */
  checks: z.record(z.string(), z.enum(outcomes)),
  /** A short digest of the expected and the received value, by failed check; a later version is compared with it. */
  evidence: z.record(z.string(), z.string().regex(/^[0-9a-f]{8}$/)).optional(),
})
export type Entry = z.infer<typeof entrySchema>

/** An address that a page may link to. */
export const webAddressSchema = z
  .string()
  .url()
  .regex(/^https?:\/\//, 'an address that begins with https:// or http://')

/** A failure is a fault, a choice that the makers documented, or a row whose text allows two readings. */
export const classifications = ['defect', 'deliberate', 'debatable'] as const

export const causeSchema = z.strictObject({
  /** The behaviour, in one sentence with the implementation as its subject. */
  cause: line,
  classification: z.enum(classifications),
  /** The expected and the received answer. */
  expected: line,
  received: line,
  /** Threads of the maintainers about it. */
  issues: z.array(webAddressSchema).optional(),
})

/** `causes.json`: an implementation, and the cause of each check that failed or warned. */
export const implementationSchema = z.strictObject({
  title: line,
  /** The address of its project, if it is public. */
  home: webAddressSchema.optional(),
  /** One sentence about it. */
  description: line,
  causes: z.record(slug, causeSchema),
  /** The name of the cause of each failed check, by `VERSION-PROFILE`; '' until it is found, which `check` refuses. */
  failed: z.record(z.string(), z.record(z.string(), slug.or(z.literal('')))),
  /** Versions that an earlier catalogue judged, newest first: the outcome of each row, without its checks. */
  earlier: z
    .array(
      z.strictObject({
        version,
        profile: z.enum(profiles),
        date,
        catalogue,
        model: line.optional(),
        /** The rows with each outcome, parted by spaces. */
        outcomes: z.record(z.enum(outcomes), z.string().regex(/^[A-Z]+-\d+( [A-Z]+-\d+)*$/)),
      }),
    )
    .optional(),
  /** Replies of its makers, newest last; only they edit them. */
  replies: z
    .array(
      z.strictObject({
        date,
        by: line,
        text: z.string().min(1).max(5000),
        source: webAddressSchema.optional(),
      }),
    )
    .optional(),
})
export type Implementation = z.infer<typeof implementationSchema>
