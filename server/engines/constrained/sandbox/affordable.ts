// Checks the size of a job and computes its cache key. This runs in the server's process, in time linear in the size.
import { hash } from 'node:crypto'
import { costlySchema } from '../../request-options.ts'
import { overBudget, SCHEMA_LIMITS } from './budget.ts'
import type { Job } from './jobs.ts'

/** Maximum number of characters of all schemas of one request. */
const MAX_CHARACTERS_TOGETHER = 4 * SCHEMA_LIMITS.characters

/** Maximum length of the texts of a job whose result is cached, in characters. */
const MAX_KEPT_TEXTS = 4096

/** The cache key of a job, and whether its result is cached. Throws a 400 if the job exceeds a limit. */
export function affordable(
  job: Job,
  params: readonly string[],
  whole: string,
): { readonly key: string; readonly kept: boolean } {
  const schemas = job.type === 'fit' ? [job.schema] : job.wanted.map(({ schema }) => schema)
  const texts = schemas.map((schema) => JSON.stringify(schema))
  const together = texts.reduce((sum, { length }) => sum + length, 0)
  if (together > MAX_CHARACTERS_TOGETHER)
    throw costlySchema(
      whole,
      `expected at most ${MAX_CHARACTERS_TOGETHER} characters of all schemas together`,
    )
  for (const [place, schema] of schemas.entries()) {
    const reason = overBudget(schema, texts[place]?.length ?? 0)
    if (reason !== undefined) throw costlySchema(params[place] ?? whole, reason)
  }
  const rest =
    job.type === 'fit' ? [job.value, ...job.texts] : job.wanted.map(({ hint, objects }) => [hint, objects])
  const length = job.type === 'fit' ? job.texts.reduce((sum, text) => sum + text.length, 0) : 0
  const kept = length <= MAX_KEPT_TEXTS
  return { key: kept ? hash('sha256', JSON.stringify([job.type, texts, rest]), 'base64') : '', kept }
}
