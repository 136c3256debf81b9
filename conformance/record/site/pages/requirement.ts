// The page of a requirement: its text and source, what is accepted, an example, which implementations hold it, and its
// checks.
import { type Markup, markup, prose } from '../../../../harness/html/markup.ts'
import { splitText } from '../../../report/example.ts'
import { sectionOf, sourceOf } from '../../../report/labels.ts'
import { boardAddress, entryAddress } from '../addresses.ts'
import type { Example } from '../../../contract/subject.ts'
import { checksOfRow } from '../../results/check-index.ts'
import { DISTINCT_MARKS, MARKS, type Mark, isFailed, markOf, plate } from '../marks.ts'
import { type Board, type Judged, type PublicRecord, outcomeOf } from '../boards.ts'
import { causesOf } from './failures.ts'
import { boardTitle, checkName, nameOf } from './parts.ts'

type Row = Board['rows'][number]

const SUBJECTS = {
  server: 'a server',
  client: 'a client',
  gateway: 'a gateway',
  dashboard: 'the key dashboard of the reference server',
  suite: 'the judge itself',
} as const

export function renderRequirement(row: Row, { boards }: PublicRecord, example: Example | undefined): Markup {
  const { id, level, subject, text } = row
  const [rule, accepted] = splitText(text)
  const own = checksOfRow(id)
  const judging = boards.filter(({ rows }) => rows.some((one) => one.id === id))
  return markup`<p class="small quiet">${sectionOf(id)}</p>
<h1><span class="id">${id}</span></h1>
<p class="rule-text">${prose(rule)}</p>
${accepted !== undefined && markup`<p><b>Accepted, or not judged:</b> ${prose(accepted)}</p>`}
<dl class="facts"><dt>Level</dt><dd>${level}${LEVELS[level]}</dd><dt>Judges</dt><dd>${SUBJECTS[subject]}</dd><dt>Source</dt><dd>${sourceOf(id)}</dd></dl>
${judging.map((board) => renderHolders(row, board))}
${example !== undefined && renderExample(example)}
<h2>Checks</h2>
${own.length === 0 && markup`<p>No check; the tests of this project cover it.</p>`}
<ul class="checks wide">${own.map(({ id: check }) => renderCheck(check, judging))}</ul>`
}

const LEVELS = {
  MUST: '',
  SHOULD: ': a recommendation; a failure is marked “!”',
  MAY: ': optional; reported only',
} as const

function renderHolders({ id }: Row, board: Board): Markup {
  const byMark = Map.groupBy(board.newest, (judged) => MARKS[outcomeOf(judged, id)])
  return markup`<h2>${boardTitle(board)}</h2>
<div class="card holders">${DISTINCT_MARKS.map((mark) => renderHolding(id, mark, byMark.get(mark) ?? []))}</div>
<p class="small"><a href="${boardAddress(board)}">Every requirement and version</a></p>`
}

/** The implementations with one mark; those that fail with their causes. */
function renderHolding(row: string, mark: Mark, own: readonly Judged[]): Markup | undefined {
  if (own.length === 0) return undefined
  const fails = isFailed(mark)
  return markup`<section><h3>${plate(mark)} <span class="quiet">${own.length}</span></h3>
<ul class="${fails ? 'failing' : 'inline'}">${own.map((judged) => markup`<li><span>${nameOf(judged, row)}</span>${fails && markup`<span class="small">${causesOf(judged, row).map(({ cause }) => markup`${prose(cause)} `)}</span>`}</li>`)}</ul></section>`
}

/** A check, and the newest entries that do not pass it. */
function renderCheck(id: string, boards: readonly Board[]): Markup {
  const outcomes = boards
    .flatMap(({ newest }) => newest)
    .map((judged) => ({ judged, outcome: judged.entry.checks[id] }))
  const failing = outcomes.filter(({ outcome }) => outcome === 'fail' || outcome === 'warn')
  const passing = outcomes.filter(({ outcome }) => outcome === 'pass').length
  return markup`<li id="${id}"><span>${checkName(id)}</span>
<span class="small quiet">${passing > 0 && `${passing} ${passing === 1 ? 'passes' : 'pass'}`}${passing > 0 && failing.length > 0 && '; '}${failing.length > 0 && 'fails: '}${failing.map(({ judged }, at) => markup`${at > 0 && ', '}${failed(judged, id)}`)}</span></li>
`
}

function failed(judged: Judged, check: string): Markup {
  const { kind, sign } = markOf(judged.entry.checks[check])
  return markup`<span class="sign ${kind}" aria-hidden="true">${sign}</span> <a href="${entryAddress(judged)}">${judged.about.title} ${judged.entry.version}</a>`
}

function renderExample({ title, lines }: Example): Markup {
  return markup`<h2>Example</h2>
<p class="small quiet">${title}</p>
<pre tabindex="0" aria-label="Example exchange">${lines.join('\n')}</pre>`
}
