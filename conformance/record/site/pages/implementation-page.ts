// The page of an implementation: the judged versions, and for each board its failures, its history and its rows by version.
import { renderGroupedTable } from '../../../../harness/html/grouped-table.ts'
import { type Markup, markup, prose } from '../../../../harness/html/markup.ts'
import { boardAddress, comparisonAddress, comparisonsId, entryAddress } from '../addresses.ts'
import { rowsOfProfile } from '../../results/check-index.ts'
import { type Board, type Judged, type JudgedImplementation, earlierOf } from '../boards.ts'
import { renderFacts } from './entry-page.ts'
import { renderFailures } from './failures.ts'
import { renderGrid } from './grid.ts'
import { renderHistory } from './history.ts'
import { renderWorksWith } from './pairs/pair-matrix.ts'
import { boardTitle, PROVENANCES, counts, outside, staleNote, verified } from './parts.ts'

export function renderSubject(subject: JudgedImplementation): Markup {
  const { kind, about, boards } = subject
  return markup`<p class="small quiet">${KINDS[kind]}</p>
<h1>${about.title}</h1>
<p class="lead">${prose(about.description)} ${about.home === undefined ? '' : outside(about.home)}</p>
${boards.map(({ board, entries }) => renderCauses(board, entries))}
${boards.length > 0 && renderVersions(boards)}
${renderWorksWith(subject)}
${boards.map(({ board, entries }) => renderOnBoard(board, entries))}
${renderEarlier(subject)}
${renderReplies(about.replies ?? [])}`
}

const KINDS = { server: 'Server', gateway: 'Gateway', client: 'Client library' } as const

/** The causes of the failures of the newest version: a reader comes for these. */
function renderCauses(board: Board, [newest]: readonly Judged[]): Markup | undefined {
  if (newest === undefined) return undefined
  return markup`<h2 id="failures-${board.id.replace('/', '-')}">Failures of ${newest.entry.version} <span class="quiet">profile ${board.profile}</span></h2>
${renderFailures(newest)}`
}

function renderVersions(boards: JudgedImplementation['boards']): Markup {
  const rows = boards.flatMap(({ board, entries }) =>
    entries.map((judged) => {
      return markup`<tr><th scope="row"><a href="${entryAddress(judged)}">${judged.entry.version}</a>${staleNote(judged.stale)}</th><td><time datetime="${judged.entry.date}">${judged.entry.date}</time></td><td>${judged.entry.profile}<span class="small quiet">, catalogue ${board.catalogue}</span></td><td>${counts(judged, board)}</td><td data-label="Model">${prose(judged.entry.model ?? '–')}</td><td>${PROVENANCES[judged.entry.provenance]} ${verified(judged.entry)}</td></tr>
`
    }),
  )
  const headings = ['Version', 'Date', 'Profile', 'Requirements', 'Model', 'Provenance']
  return markup`<h2>Judged versions</h2>
${renderGroupedTable('Judged versions', 'versions cards', headings, [{ rows }])}`
}

function renderOnBoard(board: Board, entries: readonly Judged[]): Markup | undefined {
  const [newest] = entries
  if (newest === undefined) return undefined
  const { version, name } = newest.entry
  const key = board.id.replace('/', '-')
  const others = board.newest.filter(({ entry }) => entry.name !== name)
  return markup`<section class="on-board" aria-labelledby="${key}">
<h2 id="${key}">Profile ${board.profile} <span class="quiet">catalogue ${board.catalogue}</span></h2>
<h3 id="history-${key}">History</h3>
${renderHistory(entries)}
<h3>Requirements by version</h3>
${renderGrid(
  board,
  entries.map((judged) => ({
    rows: judged.rows,
    address: entryAddress(judged),
    heading: markup`<a href="${entryAddress(judged)}">${judged.entry.version}</a>`,
  })),
  `${newest.about.title}: ${boardTitle(board)}`,
)}
<h3>How ${version} was judged</h3>
${renderFacts(newest, board)}
${
  others.length > 0 &&
  markup`<h3 id="${comparisonsId(board)}">Compare</h3>
<p class="links">${others.map(({ entry, about }) => markup`<a href="${comparisonAddress(board, name, entry.name)}">with ${about.title}</a> `)} <a href="${boardAddress(board)}">with all</a></p>`
}
</section>
`
}

/** The versions that an earlier catalogue judged, with the outcome of each row. Its checks were others: they are not compared. */
function renderEarlier({ about }: JudgedImplementation): Markup | undefined {
  const earlier = earlierOf(about)
  if (earlier.length === 0) return undefined
  const versions = earlier.map(({ version, profile, date, catalogue, model = '–' }) => {
    return markup`<tr><th scope="row">${version}</th><td><time datetime="${date}">${date}</time></td><td>${profile}<span class="small quiet">, catalogue ${catalogue}</span></td><td data-label="Model">${prose(model)}</td></tr>
`
  })
  const byProfile = [...Map.groupBy(earlier, ({ profile }) => profile)]
  return markup`<section id="earlier" aria-labelledby="h-earlier"><h2 id="h-earlier">Results by earlier catalogues</h2>
<p class="quiet">An earlier catalogue had other checks: these results are not compared with newer ones.</p>
${renderGroupedTable('Results by earlier catalogues', 'versions cards', ['Version', 'Date', 'Profile', 'Model'], [{ rows: versions }])}
${byProfile.map(
  ([profile, own]) => markup`<h3>Requirements by version, profile ${profile}</h3>
${renderGrid(
  { rows: rowsOfProfile(profile).filter(({ id }) => own.some(({ rows }) => rows.has(id))) },
  own.map(({ version, rows }) => ({ rows, heading: markup`${version}` })),
  `${about.title}: earlier results, profile ${profile}`,
)}`,
)}</section>
`
}

function renderReplies(replies: NonNullable<JudgedImplementation['about']['replies']>): Markup {
  return markup`<h2>Replies of its makers</h2>
${replies.length === 0 && markup`<p class="quiet">None yet. The makers of an implementation may answer here, in their own words.</p>`}
${replies.map(
  ({ date, by, text, source }) => markup`<blockquote class="card reply"><p>${text}</p>
<footer class="small quiet">${by}, <time datetime="${date}">${date}</time>${source !== undefined && markup`, ${outside(source)}`}</footer></blockquote>`,
)}`
}
