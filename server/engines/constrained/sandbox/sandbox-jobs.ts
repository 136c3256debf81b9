// The jobs that evaluate schemas of clients. They run in a worker of the sandbox, never in the server's process.
import { parseExact } from '../../../../spec/protocol/exact-json.ts'
import { begin, NoText } from '../grammar/byte-grammar.ts'
import { createEffort, MAX_BUILD_STEPS, TooMuchEffort, within } from '../grammar/effort.ts'
import { wantedGrammar, type WantedGrammar } from '../json-grammar.ts'
import { compileSchema } from '../compile-schema.ts'
import { NARROWED } from '../schema/narrowed-keywords.ts'
import { instanceOf } from '../values/schema-instance.ts'
import { type Schema, SchemaProblem } from '../../schema-problem.ts'

/**
 * Finds which of `texts`, each JSON, `schema` accepts. If it does not accept all of them, or if `value` is set, the job
 * also generates a value that it accepts.
 */
export interface FitJob {
  readonly type: 'fit'
  readonly schema: Schema
  readonly texts: readonly string[]
  readonly value: boolean
}

/** Finds whether all of these grammars can be built for one answer. */
export interface GrammarsJob {
  readonly type: 'grammars'
  readonly wanted: readonly WantedGrammar[]
}

export type Job = FitJob | GrammarsJob

/** A schema that the server cannot support: its index in the job, and the reason. */
export interface JobProblem {
  readonly place: number
  /** Undefined if no keyword is the cause. */
  readonly keyword: string | undefined
  readonly message: string
}

export type JobResult =
  | { readonly problem: JobProblem }
  /** `value` is JSON. */
  | { readonly accepted: readonly boolean[]; readonly value?: string }

/** Maximum length of a generated value, in characters. */
const MAX_VALUE_LENGTH = 1_000_000

/** Runs `job`. Throws only errors that no schema has caused. */
export function perform(job: Job): JobResult {
  const schemas = job.type === 'fit' ? [job.schema] : job.wanted.map(({ schema }) => schema)
  let place = 0
  try {
    if (job.type === 'fit') return within(createEffort(Infinity), () => fit(job))
    within(createEffort(Infinity), () =>
      schemas.forEach((schema, at) => {
        place = at
        compileSchema(schema, { runs: false })
      }),
    )
    within(createEffort(MAX_BUILD_STEPS), () =>
      job.wanted.forEach((wanted, at) => {
        place = at
        begin(wantedGrammar(wanted))
      }),
    )
    return { accepted: [] }
  } catch (error) {
    return { problem: { place, ...problemOf(error, schemas[place]) } }
  }
}

function fit({ schema, texts, value }: FitJob): JobResult {
  const validate = compileSchema(schema)
  const accepted = texts.map((text) => validate(parseExact(text)))
  if (!value && !accepted.includes(false)) return { accepted }
  const json = JSON.stringify(instanceOf(validate))
  if (json.length <= MAX_VALUE_LENGTH) return { accepted, value: json }
  throw new SchemaProblem(undefined, `the value that was found has more than ${MAX_VALUE_LENGTH} characters`)
}

function problemOf(error: unknown, schema: Schema | undefined): Omit<JobProblem, 'place'> {
  if (error instanceof SchemaProblem) return { keyword: error.keyword, message: error.message }
  if (error instanceof NoText && schema !== undefined) return noValue(error, schema)
  if (error instanceof TooMuchEffort) return { keyword: undefined, message: error.message }
  // Stack overflow, or a string or an array of invalid length.
  if (error instanceof RangeError)
    return {
      keyword: JSON.stringify(schema).includes('"$ref"') ? '$ref' : undefined,
      message: 'it is too deep, or refers to itself without end',
    }
  throw error
}

/** The keyword that excludes every value, or that a grammar narrows too much. */
function noValue(error: NoText, schema: Schema): Omit<JobProblem, 'place'> {
  try {
    within(createEffort(MAX_BUILD_STEPS), () => instanceOf(compileSchema(schema)))
  } catch (cause) {
    if (cause instanceof SchemaProblem) return { keyword: cause.keyword, message: cause.message }
    if (!(cause instanceof RangeError)) throw cause
  }
  const text = JSON.stringify(schema)
  const keyword = ['$ref', ...NARROWED, 'oneOf'].find((name) => text.includes(`"${name}"`))
  return { keyword, message: error.message }
}
