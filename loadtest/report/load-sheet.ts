// The report on a scenario of k6: its assertions, its loads, and plots by second.
import { headlineOf } from '../judges/bound-assertions.ts'
import { isAdmitted, milliseconds, type LoadRun } from '../judges/judgement.ts'
import type { LoadVerdict } from '../judges/load-verdict.ts'
import type { LoadAnswer } from '../k6/k6-record.ts'
import { quantile } from '../theory/statistics.ts'
import { bars, line, type Plot, type Series } from './plots.ts'
import { LOOKS, type SheetRow, type Sheet } from './sheet.ts'

/** The longest run with plotted sums, in seconds, because they are computed again for each second. */
const SO_FAR_SECONDS = 300

/** `shown` is the load whose admissions are plotted. */
export function loadSheet(verdict: LoadVerdict, run: LoadRun, shown: string): Sheet {
  const assertions = verdict.assertions.map(({ id, expected, actual, outcome }) => ({
    cells: [id, expected, outcome === 'not judged' ? `not judged: ${actual}` : actual],
    outcome: { look: LOOKS[outcome], text: outcome },
  }))
  return {
    title: verdict.scenario,
    verdict: verdict.verdict,
    heading: `${verdict.target} ${verdict.model}`,
    about: [],
    parts: [
      {
        title: 'Assertions',
        columns: ['assertion', 'expected', 'found'],
        rows: assertions,
        kind: 'sentences',
      },
      ...plotsOf(verdict, run, shown),
      {
        title: 'The loads',
        columns: ['load', 'requests', '200', '429', 'other', 'p50', 'p95'],
        rows: run.plan.loads.map(({ name }) => loadRow(name, run)),
      },
    ],
    invalid: verdict.invalid,
    notes: verdict.notes,
    line: loadLine(verdict),
  }
}

/** `PASS rate-limit: limit 3/1 s, offered 300, admitted 30 (24 to 36), …` */
function loadLine(verdict: LoadVerdict): string {
  const { limit, offered, admitted, lower, upper, refused, dropped, k6, cores, processes } = verdict
  const parts = [
    ...(limit === null ? [] : [`limit ${limit.requests}/${limit.windowSeconds} s`]),
    `offered ${offered}`,
    `admitted ${admitted} (${lower} to ${upper})`,
    `refused ${refused}`,
    `dropped ${dropped}`,
    `k6 ${k6}${processes === 1 ? '' : ` × ${processes}`}`,
    `${cores} cores`,
    verdict.valid ? 'valid' : 'not valid',
  ]
  return `${verdict.verdict.toUpperCase()} ${verdict.scenario}: ${parts.join(', ')}`
}

function loadRow(name: string, { record }: LoadRun): SheetRow {
  const answers = record.answers.filter(({ load }) => load === name)
  const times = answers.map(milliseconds)
  const count = (wanted: number): number => answers.filter(({ status }) => status === wanted).length
  const others = answers.length - count(200) - count(429)
  const ms = (part: number): string => (times.length === 0 ? '–' : `${quantile(times, part).toFixed(0)} ms`)
  return { cells: [name, answers.length, count(200), count(429), others, ms(0.5), ms(0.95)] }
}

/** The plots of the run by second. */
function plotsOf({ limit }: LoadVerdict, run: LoadRun, shown: string): readonly Plot[] {
  const { record, plan } = run
  const [first] = record.answers
  if (first === undefined) return []
  const last = record.answers.reduce((latest, { end }) => Math.max(latest, end), first.end)
  const seconds = Math.max(1, Math.ceil(last - first.start))
  // Lines end before the last second, which is incomplete and would make them fall.
  const whole = Math.max(1, Math.floor((record.answers.at(-1)?.start ?? last) - first.start))
  const wholeLine = (name: string, style: string, values: Series['values']): Series => {
    const shown = values.map((value, second) => (second < whole ? value : undefined))
    return line(name, style, shown)
  }
  const bySecond = (answers: readonly LoadAnswer[]): readonly (readonly LoadAnswer[])[] => {
    const groups = Map.groupBy(answers, ({ start }) => Math.floor(start - first.start))
    return Array.from({ length: seconds }, (_, second) => groups.get(second) ?? [])
  }
  const of = bySecond(record.answers.filter(({ load }) => load === shown))
  const all = bySecond(record.answers)
  const admitted = of.map((group) => group.filter(isAdmitted).length)
  const offered = of.map((group) => group.length)
  const perSecond = plan.limit.requests / plan.limit.windowSeconds
  const latency = (name: string, style: string, part: number): Series => {
    const times = all.map((group) =>
      group.length === 0 ? undefined : quantile(group.map(milliseconds), part),
    )
    return wholeLine(name, style, times)
  }
  return [
    {
      title: `Admitted, load ${shown}`,
      unit: 'requests in each second',
      series: [
        bars('admitted', 'a', admitted),
        wholeLine('offered', 'b', offered),
        ...(limit === null ? [] : [wholeLine('the limit', 'bound', Array(of.length).fill(perSecond))]),
      ],
    },
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
      series: STATUSES.map(({ name, style, holds }) => {
        const counts = all.map((group) => group.filter(({ status }) => holds(status)).length)
        return bars(name, style, counts)
      }),
    },
  ]
}

/** Plots the requests admitted so far, between the bounds of honest limiters. */
function soFar({ counting }: LoadRun, bySecond: readonly (readonly LoadAnswer[])[], shown: string): Plot {
  const upTo = bySecond.map((_, second) => headlineOf(counting, bySecond.slice(0, second + 1).flat()))
  const of = (name: 'upper' | 'admitted' | 'lower') => upTo.map((headline) => headline[name])
  return {
    title: `Admitted so far, load ${shown}`,
    unit: 'requests from the start to the end of each second',
    series: [
      line('at most', 'bound', of('upper')),
      line('admitted', 'a', of('admitted')),
      line('at least', 'lower', of('lower')),
    ],
  }
}

const STATUSES: readonly { name: string; style: string; holds: (status: number) => boolean }[] = [
  { name: '200', style: 'a', holds: (status) => status === 200 },
  { name: '429', style: 'd', holds: (status) => status === 429 },
  { name: 'other 4xx', style: 'e', holds: (status) => status >= 400 && status < 500 && status !== 429 },
  { name: '5xx or none', style: 'c', holds: (status) => status >= 500 || status === 0 },
]
