// Judges one library: what a busy machine leaves inconclusive is judged again, a few programs at a time.
import { isRequirementId } from '../../../spec/catalogue/requirements.ts'
import type { Report } from '../../report/schema.ts'
import { runClientConformance } from '../../run-client-conformance.ts'
import { rollUp } from '../../verdict/verdict.ts'
import type { Client } from './recorded-client.ts'

/** The same words in every prompt and answer of every library. */
const SEED = 1
/** Programs side by side in the first run: large libraries take a core for a second or two to start. */
const CONCURRENCY = 4
/** Programs side by side where one is judged again, and how often it is. */
const CONCURRENCY_AGAIN = 2
const TIMES_AGAIN = 2

/** The checks of one library and what they make of each row, those that were judged again as of the last time. */
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
