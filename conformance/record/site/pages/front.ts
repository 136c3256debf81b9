// The front page: what the site is, the meaning of the marks, and a matrix for each board.
import { type Markup, markup } from '../../../../harness/html/markup.ts'
import { bySection } from '../../../report/labels.ts'
import { DISTINCT_MARKS, type Mark, plate } from '../marks.ts'
import type { Board, PublicRecord } from '../boards.ts'
import { renderFilters } from './parts.ts'
import { renderOverview } from './overview.ts'
import { renderMatrix } from './matrix.ts'

const MEANINGS: Readonly<Record<Mark['kind'], string>> = {
  fail: 'a check of a MUST failed',
  warn: 'a recommendation is not followed',
  inconclusive: 'no verdict; this is not a pass',
  error: 'no verdict; this is not a pass',
  'not-applicable': 'refused openly, or not a part of it',
  pass: 'every check passed',
}

export function renderFront(record: PublicRecord): Markup {
  const { boards } = record
  return markup`<h1>Conformance record</h1>
<p class="lead">Servers, gateways and client libraries of the “OpenAI-compatible” chat completions format, judged by the same numbered requirements. There is no score; the order is that of the names.</p>
${boards.length > 0 && renderOverview(record, boards)}
<dl class="legend">${DISTINCT_MARKS.map((mark) => markup`<div><dt>${plate(mark)}</dt><dd>${MEANINGS[mark.kind]}</dd></div>`)}</dl>
${boards.length === 0 && markup`<p class="card">There are no results yet.</p>`}
${boards.length > 0 && renderFrontFilters(boards)}
${boards.map(renderMatrix)}
<p class="card" data-nothing hidden>Nothing matches.</p>`
}

function renderFrontFilters(boards: readonly Board[]): Markup {
  const groups = new Map(
    boards.flatMap(({ rows }) => bySection(rows).map(({ prefix, name }) => [prefix, name])),
  )
  const kinds = [...new Set(boards.map(({ kind }) => kind))]
  const profiles = [...new Set(boards.map(({ profile }) => profile))]
  return renderFilters([
    { name: 'kind', label: 'Kind', choices: kinds.map((kind) => [kind, `${kind}s`]) },
    { name: 'profile', label: 'Profile', choices: profiles.map((profile) => [profile, profile]) },
    { name: 'group', label: 'Group', choices: [...groups] },
    {
      name: 'show',
      label: 'Show',
      choices: [
        ['f', 'only with failures'],
        ['q', 'only with rows not judged'],
      ],
    },
  ])
}
