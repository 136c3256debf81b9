// The example of each requirement, as `explain` prints it. The exchanges of servers were recorded with the reference
// server (`write-examples.ts`), so that two builds of the site are equal; the others follow from the catalogue.
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type RequirementId, requirement } from '../../../spec/catalogue/requirements.ts'
import type { Example } from '../../contract/subject.ts'
import { SUBJECTS, checksOfRow } from '../results/check-index.ts'

export const EXAMPLES_FILE = new URL('examples.json', import.meta.url)

const recorded = z.record(z.string(), z.strictObject({ title: z.string(), lines: z.array(z.string()) }))

/** Returns the example of a requirement; undefined if it has none. Reads the recorded exchanges once. */
export function readExamples(): (id: RequirementId) => Example | undefined {
  const exchanges = recorded.parse(JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8')))
  return (id) => {
    const { subject } = requirement(id)
    const [check] = checksOfRow(id)
    if (check === undefined) return undefined
    return SUBJECTS.find(({ name }) => name === subject)?.exampleOf(check) ?? exchanges[id]
  }
}
