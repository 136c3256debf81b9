// The page docs/traceability.md: from each sentence of the specification to the rows that judge it, and from each row
// to what holds it.
import { type RequirementId, requirements } from '../../../spec/catalogue/requirements.ts'
import type { Requirement } from '../../../spec/catalogue/section.ts'
import {
  EXCLUSIONS,
  OUTSIDE,
  type Trace,
  type TracedSection,
  specification,
} from '../../../spec/catalogue/traceability.ts'
import { plural } from '../../report/labels.ts'
import type { Check } from '../../contract/check.ts'

/** Shown for a row that no check or test covers. */
export const NOT_COVERED = 'not covered yet'

/**
 * The page as Markdown.
 *
 * @param checks every check of every subject
 * @param tests the test files of this project that hold a row; shown for rows that judge no server
 */
export function renderTraceability(
  checks: readonly Check[],
  tests: ReadonlyMap<RequirementId, readonly string[]>,
): string {
  const traces = specification.flatMap((section) => section.traces)
  const left = traces.filter((trace) => 'excluded' in trace).length
  const holders = holdersOf(checks, tests)
  const open = requirements.filter(({ id }) => holders.get(id)?.length === 0).length
  return [
    '# Traceability',
    '',
    'After this page you can find the requirements that judge a sentence of the specification, and the checks or tests that',
    'cover a requirement.',
    '',
    `The specification has ${plural(traces.length, 'sentence')} and rows of tables. ${traces.length - left} are judged by the requirements beside them;`,
    `${left} are excluded for one of the reasons below. Of the ${plural(requirements.length, 'requirement')}, ${open === 0 ? 'none is' : `${open} are`} not covered yet.`,
    '`npm run docs` writes this page from `spec/catalogue/traceability.ts` and the catalogue of checks.',
    '',
    ...Object.entries(EXCLUSIONS).map(([reason, meaning]) => `- *${reason}*: ${meaning}.`),
    '',
    '## From the specification to the requirements',
    '',
    ...specification.filter((section) => section.traces.length > 0).flatMap(renderSection),
    '## What of the adopted format no row judges',
    '',
    '| part | reason |',
    '|---|---|',
    ...Object.entries(OUTSIDE).map(([part, reason]) => `| ${part} | ${reason} |`),
    '',
    '## From the requirements to the checks',
    '',
    'A row that judges a server, a client or a gateway is covered by checks of the judge (`npx touchstone explain ROW` shows',
    'them), any other row by the tests of this project whose titles name it.',
    '',
    '| row | level | judges | source | covered by |',
    '|---|---|---|---|---|',
    ...requirements.map(({ id, level, subject, source }) => {
      const by = holders.get(id)?.map((holder) => `\`${holder}\``) ?? []
      return `| ${id} | ${level} | ${subject} | ${source} | ${by.join(', ') || NOT_COVERED} |`
    }),
    '',
  ].join('\n')
}

function renderSection({ heading, traces }: TracedSection): readonly string[] {
  const lines = traces.map((trace) => `| ${trace.text.replaceAll('|', '\\|')} | ${judges(trace)} |`)
  return [`### ${heading}`, '', '| sentence | judged by |', '|---|---|', ...lines, '']
}

/** The ids of checks for each row that judges a server, a client or a gateway, test files for any other row. */
export function holdersOf(
  all: readonly Check[],
  tests: ReadonlyMap<RequirementId, readonly string[]>,
): ReadonlyMap<RequirementId, readonly string[]> {
  const checks = Map.groupBy(all, (check) => check.requirement)
  const holders = ({ id, subject }: Requirement & { id: RequirementId }): readonly string[] =>
    subject !== 'dashboard' && subject !== 'suite'
      ? (checks.get(id) ?? []).map((check) => check.id)
      : (tests.get(id) ?? [])
  return new Map(requirements.map((row) => [row.id, holders(row)]))
}

function judges(trace: Trace): string {
  return 'excluded' in trace ? `*${trace.excluded}*` : asRanges(trace.requirements).join(', ')
}

/** Ids with every run of three or more neighbours in the catalogue's numbering as one range, `WIRE-1 to WIRE-23`. */
export function asRanges(ids: readonly RequirementId[]): readonly string[] {
  const runs: RequirementId[][] = []
  for (const id of ids) {
    const run = runs.at(-1)
    if (run !== undefined && isNext(run.at(-1), id)) run.push(id)
    else runs.push([id])
  }
  return runs.flatMap((run) => (run.length < 3 ? run : [`${run[0]} to ${run.at(-1)}`]))
}

function isNext(before: RequirementId | undefined, id: RequirementId): boolean {
  const [section, number] = id.split('-')
  return before === `${section}-${Number(number) - 1}`
}
