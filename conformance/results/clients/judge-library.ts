// Judges one library. Checks that are inconclusive on a busy machine are judged again, with fewer programs at a time.
import { isRequirementId } from '../../../spec/catalogue/requirements.ts'
import type { Report } from '../../report/schema.ts'
import { runClientConformance } from '../../run-client-conformance.ts'
import { rollUp } from '../../verdict/verdict.ts'
import type { Client } from './recorded-client.ts'

/** Gives every library the same words in prompts and answers. */
const SEED = 1
/** Programs side by side in the first run: a large library uses a core for a second or two to start. */
const CONCURRENCY = 4
/** Programs side by side when checks are judged again, and the most repetitions. */
const CONCURRENCY_AGAIN = 2
const TIMES_AGAIN = 2

/** The checks of one library and the outcome of each row; of repeated checks, the last result. */
export async function judgeClient({
  command,
}: Pick<Client, 'command'>): Promise<Pick<Report, 'checks' | 'requirements'>> {
  const common = { command, seed: SEED, timeoutMs: 120_000 }
  let { checks } = await runClientConformance({ ...common, concurrency: CONCURRENCY })
  for (let time = 0; time < TIMES_AGAIN; time += 1) {
    const unjudged = checks.filter(({ outcome }) => outcome === 'inconclusive').map(({ id }) => id)
    if (unjudged.length === 0) break
    const again = await runClientConformance({
      ...common,
      concurrency: CONCURRENCY_AGAIN,
      only: unjudged.join(','),
    })
    checks = checks.map((check) => again.checks.find(({ id }) => id === check.id) ?? check)
  }
  const judgements = checks.flatMap(({ id, requirement, level, outcome }) =>
    isRequirementId(requirement) ? [{ id, requirement, level, outcome }] : [],
  )
  return { checks, requirements: [...rollUp(judgements)] }
}
