// The report as one page that loads nothing: the verdict, its assertions, and plots by second.
import { type Markup, markup } from '../../harness/html/markup.ts'
import { headlineOf } from '../theory/bounds.ts'
import { type Assertion, isAdmitted, milliseconds, quantile, type Run } from '../judges/judgement.ts'
import { type Plot, renderPlot, type Series } from './plots.ts'
import { OUTCOMES, loadPage, plate, tableCard } from './page.ts'
import type { Answer } from '../k6/record.ts'
import { line } from './render.ts'
import type { Verdict } from '../judges/verdict.ts'

/** The longest run for which sums are plotted: they are computed again for each second. */
const SO_FAR_SECONDS = 300

/** A whole document. `shown` is the load whose admissions are plotted. */
export function renderReport(verdict: Verdict, run: Run, shown: string): string {
  return loadPage({
    title: verdict.scenario,
    word: verdict.verdict,
    heading: `${verdict.scenario} · ${verdict.target}`,
    line: line(verdict),
    notes: [...verdict.invalid, ...verdict.notes],
    content: markup`${tableCard('Assertions', ['assertion', 'expected', 'found', 'outcome'], verdict.assertions.map(rowOf))}
${plotsOf(verdict, run, shown).map(renderPlot)}
${tableCard(
  'The loads',
  ['load', 'requests', '200', '429', 'other', 'p50', 'p95'],
  run.plan.loads.map(({ name }) => loadRow(name, run)),
)}`,
  })
}

function rowOf({ id, expected, actual, outcome }: Assertion): readonly (string | Markup)[] {
  return [markup`<code>${id}</code>`, expected, actual, plate(OUTCOMES[outcome], outcome)]
}

function loadRow(name: string, { record }: Run): readonly (string | number | Markup)[] {
  const answers = record.answers.filter(({ load }) => load === name)
  const times = answers.map(milliseconds)
  const count = (wanted: number): number => answers.filter(({ status }) => status === wanted).length
  const others = answers.length - count(200) - count(429)
  const ms = (part: number): string => (times.length === 0 ? '–' : `${quantile(times, part).toFixed(0)} ms`)
  return [markup`<code>${name}</code>`, answers.length, count(200), count(429), others, ms(0.5), ms(0.95)]
}

/** The plots of the run by second. */
export function plotsOf({ limit }: Verdict, run: Run, shown: string): readonly Plot[] {
  const { record, plan } = run
  const [first] = record.answers
  if (first === undefined) return []
  const last = record.answers.reduce((latest, { end }) => Math.max(latest, end), first.end)
  const seconds = Math.max(1, Math.ceil(last - first.start))
  // The last second is incomplete: a line through it would fall without a reason.
  const whole = Math.max(1, Math.floor((record.answers.at(-1)?.start ?? last) - first.start))
  const line = (one: Omit<Series, 'kind'>): Series => ({
    ...one,
    kind: 'line',
    values: one.values.map((value, second) => (second < whole ? value : undefined)),
  })
  const bySecond = (answers: readonly Answer[]): readonly (readonly Answer[])[] => {
    const groups = Map.groupBy(answers, ({ start }) => Math.floor(start - first.start))
    return Array.from({ length: seconds }, (_, second) => groups.get(second) ?? [])
  }
  const of = bySecond(record.answers.filter(({ load }) => load === shown))
  const all = bySecond(record.answers)
  const admitted: Series[] = [
    {
      name: 'admitted',
      style: 'a',
      kind: 'bars',
      values: of.map((group) => group.filter(isAdmitted).length),
    },
    line({ name: 'offered', style: 'b', values: of.map((group) => group.length) }),
  ]
  if (limit !== null) {
    const perSecond = plan.limit.requests / plan.limit.windowSeconds
    admitted.push(line({ name: 'the limit', style: 'bound', values: of.map(() => perSecond) }))
  }
  const latency = (name: string, style: string, part: number): Series =>
    line({
      name,
      style,
      values: all.map((group) => (group.length === 0 ? undefined : quantile(group.map(milliseconds), part))),
    })
  return [
    { title: `Admitted, load ${shown}`, unit: 'requests in each second', series: admitted },
    ...(limit === null || seconds > SO_FAR_SECONDS ? [] : [soFar(run, of.slice(0, whole), shown)]),
    {
      title: 'Latency',
      unit: 'milliseconds, all loads',
      series: [latency('p50', 'a', 0.5), latency('p95', 'd', 0.95), latency('p99', 'c', 0.99)],
    },
    {
      title: 'Statuses',
      unit: 'answers in each second, all loads',
      stacked: true,
      series: STATUSES.map(({ name, style, holds }) => ({
        name,
        style,
        kind: 'bars',
        values: all.map((group) => group.filter(({ status }) => holds(status)).length),
      })),
    },
  ]
}

/** Plots the requests admitted so far, between the bounds of honest limiters. */
function soFar({ counting }: Run, bySecond: readonly (readonly Answer[])[], shown: string): Plot {
  const upTo = bySecond.map((_, second) => bySecond.slice(0, second + 1).flat())
  const line = (name: string, style: string, count: (answers: readonly Answer[]) => number): Series => ({
    name,
    style,
    kind: 'line',
    values: upTo.map(count),
  })
  return {
    title: `Admitted so far, load ${shown}`,
    unit: 'requests from the start to the end of each second',
    series: [
      line('at most', 'bound', (answers) => headlineOf(counting, answers).upper),
      line('admitted', 'a', (answers) => headlineOf(counting, answers).admitted),
      line('at least', 'lower', (answers) => headlineOf(counting, answers).lower),
    ],
  }
}

const STATUSES: readonly { name: string; style: string; holds: (status: number) => boolean }[] = [
  { name: '200', style: 'a', holds: (status) => status === 200 },
  { name: '429', style: 'd', holds: (status) => status === 429 },
  { name: 'other 4xx', style: 'e', holds: (status) => status >= 400 && status < 500 && status !== 429 },
  { name: '5xx or none', style: 'c', holds: (status) => status >= 500 || status === 0 },
]
