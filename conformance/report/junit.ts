// The report as JUnit XML: one suite for each section, one case for each check.
import { tierCounts } from '../contract/verdict.ts'
import { holdOf, sectionOf } from './labels.ts'
import type { Report, ReportCheck } from '../contract/report.ts'

export function renderJunit(report: Report): string {
  const suites = Map.groupBy(report.checks, (check) => sectionOf(check.requirement))
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'touchstone', ...counts(report.checks) })}>`,
  ]
  const property = (name: string, value: string | number): string =>
    `<property${attributes({ name, value })}/>`
  const tiers = Object.entries(tierCounts(report.requirements) ?? {})
  const properties = [
    property('seed', report.seed),
    ...tiers.map(([tier, counts]) => property(tier, holdOf(counts))),
  ]
  for (const [name, checks] of suites) {
    lines.push(
      `  <testsuite${attributes({ name, ...counts(checks), timestamp: report.startedAt })}>`,
      `    <properties>${properties.join('')}</properties>`,
      ...checks.map((check) => renderCase(check, report)),
      '  </testsuite>',
    )
  }
  lines.push('</testsuites>', '')
  return lines.join('\n')
}

function counts(checks: readonly ReportCheck[]): Record<string, number | string> {
  const count = (...outcomes: readonly string[]): number =>
    checks.filter(({ outcome }) => outcomes.includes(outcome)).length
  const known = checks.filter(({ outcome, baseline }) => outcome === 'fail' && baseline !== undefined).length
  return {
    tests: checks.length,
    failures: count('fail') - known,
    errors: count('error'),
    skipped: count('not-applicable', 'inconclusive') + known,
    time: seconds(checks.reduce((sum, { durationMs }) => sum + durationMs, 0)),
  }
}

function renderCase(check: ReportCheck, { noLongerOffered = [] }: Report): string {
  const name = `${check.id}: ${check.title}`
  const time = seconds(check.durationMs)
  const open = `    <testcase${attributes({ classname: check.requirement, name, time })}`
  const inside = inner(check, noLongerOffered.includes(check.id))
  return inside === undefined ? `${open}/>` : `${open}>${inside}</testcase>`
}

function inner(check: ReportCheck, isLost: boolean): string | undefined {
  const message = check.reason ?? ''
  const detail = xml([check.reproduce, check.rerun].filter((line) => line !== undefined).join('\n'))
  if (check.outcome === 'pass') return undefined
  // JUnit has no warnings: a warning is written in the output of a case that passes.
  if (check.outcome === 'warn') return `<system-out>${xml(`warning: ${message}\n`)}${detail}</system-out>`
  if (check.outcome === 'fail' && check.baseline !== undefined)
    return `<skipped${attributes({ message: `known failure: ${check.baseline}` })}>${detail}</skipped>`
  if (check.outcome === 'fail') return `<failure${attributes({ message, type: 'fail' })}>${detail}</failure>`
  if (check.outcome === 'error') return `<error${attributes({ message, type: 'error' })}/>`
  const outcome = isLost ? `${check.outcome}, no longer offered` : check.outcome
  return `<skipped${attributes({ message: `${outcome}: ${message}` })}/>`
}

function attributes(values: Readonly<Record<string, string | number>>): string {
  return Object.entries(values)
    .map(([name, value]) => ` ${name}="${xml(String(value))}"`)
    .join('')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;',
}

/** Text for XML 1.0, which allows few control characters, no lone surrogates, and not U+FFFE or U+FFFF. */
function xml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[&<>"\n\t]/g, (character) => ENTITIES[character] ?? character)
    .replace(/[\p{Cc}\uFFFE\uFFFF]/gu, '\uFFFD')
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}
