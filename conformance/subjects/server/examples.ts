// An exchange of a check of each row, recorded with the reference server: `npm run docs` writes examples.json for new rows. With
// it a row is explained without a server, and two builds of the site are equal.
import type { Check } from '../../contract/check.ts'
import type { Example } from '../../contract/subject.ts'
import examples from './examples.json' with { type: 'json' }

const recorded: Readonly<Record<string, Example>> = examples.of

/** The rows whose checks send nothing to the reference server. */
export const WITHOUT_EXAMPLE: readonly string[] = examples.without

/** The recorded example of a check; undefined if another check stands for its row. */
export const exampleOf = ({ id }: Check): Example | undefined => recorded[id]
