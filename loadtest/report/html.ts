// The report as one page that loads nothing: the verdict, its assertions, and plots by second.
import { type Markup, markup } from '../../harness/html/markup.ts'
import { renderPage } from '../../harness/html/page.ts'
import { headlineOf } from '../theory/bounds.ts'
import { type Assertion, isAdmitted, milliseconds, quantile, type Run } from '../judges/judgement.ts'
import { type Plot, renderPlot, type Series } from './plots.ts'
import type { Answer } from '../k6/record.ts'
import { line } from './render.ts'
import type { Verdict } from '../judges/verdict.ts'

const STYLES = {
  pass: { sign: '✓', kind: 'pass', label: 'Pass' },
  fail: { sign: '✗', kind: 'fail', label: 'Fail' },
  invalid: { sign: '?', kind: 'inconclusive', label: 'Not a valid run' },
  'not judged': { sign: '–', kind: 'not-applicable', label: 'not judged' },
} as const

/** The longest run for which sums are plotted: they are computed again for each second. */
const SO_FAR_SECONDS = 300

/** A whole document. `shown` is the load whose admissions are plotted. */
export function renderReport(verdict: Verdict, run: Run, shown: string): string {
  const { sign, label, kind } = STYLES[verdict.verdict]
  return renderPage({
    title: `${verdict.scenario}: ${label}`,
    style: STYLE,
    aside: markup`load test`,
    content: markup`<section class="card verdict" aria-labelledby="verdict">
<p class="label ${kind}"><span aria-hidden="true">${sign}</span> ${label}</p>
<h1 id="verdict">${verdict.scenario} · ${verdict.target}</h1>
<p class="line"><code>${line(verdict)}</code></p>
${[...verdict.invalid, ...verdict.notes].map((note) => markup`<p class="quiet">${note}</p>`)}
</section>
<section class="card"><h2>Assertions</h2>
<table><thead><tr><th>assertion</th><th>expected</th><th>found</th><th>outcome</th></tr></thead>
<tbody>${verdict.assertions.map(renderAssertion)}</tbody></table></section>
${plotsOf(verdict, run, shown).map(renderPlot)}
<section class="card"><h2>The loads</h2>
<table><thead><tr><th>load</th><th>requests</th><th>200</th><th>429</th><th>other</th><th>p50</th><th>p95</th></tr></thead>
<tbody>${run.plan.loads.map(({ name }) => renderLoad(name, run))}</tbody></table></section>`,
  })
}

function renderAssertion({ id, expected, actual, outcome }: Assertion): Markup {
  const { sign, kind } = STYLES[outcome]
  return markup`<tr><td><code>${id}</code></td><td>${expected}</td><td>${actual}</td><td><span class="plate ${kind}"><span class="sign" aria-hidden="true">${sign}</span>${outcome}</span></td></tr>`
}

function renderLoad(name: string, { record }: Run): Markup {
  const answers = record.answers.filter(({ load }) => load === name)
  const times = answers.map(milliseconds)
  const count = (wanted: number): number => answers.filter(({ status }) => status === wanted).length
  const others = answers.length - count(200) - count(429)
  const ms = (part: number): string => (times.length === 0 ? '–' : `${quantile(times, part).toFixed(0)} ms`)
  return markup`<tr><td><code>${name}</code></td><td>${answers.length}</td><td>${count(200)}</td><td>${count(429)}</td><td>${others}</td><td>${ms(0.5)}</td><td>${ms(0.95)}</td></tr>`
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

/** The style of every page of a load test. */
export const STYLE = `
.card { margin-top: 1.25rem; }
.verdict { margin-top: 0; }
.verdict .label { font-size: 1.3rem; font-weight: 700; }
.label.pass { color: var(--good); } .label.fail { color: var(--bad); } .label.inconclusive { color: var(--open); }
.verdict .line { margin: .75rem 0 .5rem; }
table { border-collapse: collapse; width: 100%; margin-top: .75rem; font-size: .925rem; font-variant-numeric: tabular-nums; }
th { text-align: left; color: var(--faint); font-weight: 600; font-size: .8rem; }
th, td { padding: .35rem .9rem .35rem 0; border-top: 1px solid var(--line); vertical-align: top; }
thead th { border-top: 0; }
.plot { margin-inline: 0; }
figcaption { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: baseline; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1rem; margin: 0; padding: 0; font-size: .875rem; }
.legend li { display: inline-flex; align-items: center; gap: .4rem; }
.legend svg { width: 1rem; height: .625rem; }
.chart { display: block; width: 100%; height: auto; margin-top: .75rem; }
.chart text { fill: var(--faint); font-size: 11px; }
.plot path { fill: none; stroke-width: 2; }
.plot path.grid { stroke: var(--line); stroke-width: 1; }
rect.a { fill: var(--good-fill); } rect.c { fill: var(--bad-fill); } rect.d { fill: var(--warn-fill); } rect.e { fill: var(--open-fill); }
path.a { stroke: var(--good-fill); } path.b { stroke: var(--faint); } path.c { stroke: var(--bad-fill); }
path.d { stroke: var(--warn-fill); } path.bound { stroke: var(--bad-fill); stroke-dasharray: 6 4; }
path.lower { stroke: var(--open-fill); stroke-dasharray: 6 4; }
`
