// The requirements of a report as tests for any test runner: one requirement that does not hold is one test that fails.
import { isRequirementId, requirement } from '../../spec/catalogue/requirements.ts'
import { createPen } from '../../harness/cli/pen.ts'
import type { Report } from '../contract/report.ts'
import { renderFinding } from './failure.ts'

export interface RequirementTest {
  /** The id of the requirement, for example `STREAM-2`. */
  readonly id: string
  readonly requirement: string
  readonly level: Report['requirements'][number]['level']
  readonly outcome: Report['requirements'][number]['outcome']
  /** The id, and the first sentence of the requirement. */
  readonly title: string
  /** Throws the finding if the requirement does not hold, or is a MUST that could not be judged. */
  run(): void
}

/** The width of a failure, in characters. */
const COLUMNS = 110

/** @param allowIncomplete a MUST that could not be judged does not fail */
export function testsOf(report: Report, allowIncomplete = false): readonly RequirementTest[] {
  return report.requirements.map(({ id, level, outcome }) => ({
    id,
    requirement: id,
    level,
    outcome,
    title: `${id} ${firstSentence(isRequirementId(id) ? requirement(id).text : '')}`.trim(),
    run() {
      const isOpen = outcome === 'inconclusive' && level === 'MUST' && !allowIncomplete
      if (isOpen || outcome === 'fail' || outcome === 'error') throw new Error(messageOf(report, id, outcome))
    },
  }))
}

function messageOf(report: Report, id: string, outcome: RequirementTest['outcome']): string {
  const { profile } = report.target
  const checks = report.checks.filter((check) => check.requirement === id && check.outcome === outcome)
  const [example] = checks
  if (example === undefined) return `${id}: ${outcome}`
  const finding = {
    requirement: id,
    requirements: [id],
    level: example.level,
    outcome,
    what: example.actual ?? example.reason ?? '',
    example,
    checks,
  }
  return renderFinding(finding, createPen({ color: false, columns: COLUMNS }), profile)
    .join('\n')
    .trim()
}

/** The text up to the end of its first sentence, without the marks of code. */
function firstSentence(text: string): string {
  return (/^.*?[.;](?=\s|$)/s.exec(text)?.[0] ?? text).replaceAll('`', '')
}
