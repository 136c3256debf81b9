// Which client library works with which server: a cell for each pair, and the list of pairs on the page of a client or a
// server. The filter by a use needs the script.
import { renderGroupedTable } from '../../../../../harness/html/grouped-table.ts'
import { type Markup, markup, prose } from '../../../../../harness/html/markup.ts'
import { plural } from '../../../../report/labels.ts'
import { type Pair, USES, USE_IDS, VERDICTS } from '../../../results/pair-entry.ts'
import { pairAddress, subjectAddress } from '../../addresses.ts'
import type { JudgedImplementation, PublicRecord } from '../../boards.ts'
import { type Mark, plate } from '../../marks.ts'
import { renderFilters } from '../parts.ts'
import { VERDICT_MARKS, countPlates, countsOf, usesLine, verdictsOf } from './verdicts.ts'

const MEANINGS: Readonly<Record<(typeof VERDICTS)[number], string>> = {
  works: 'the person gets the result, and both sides keep the format',
  'works-with-a-defect': 'the person gets the result, but one side breaks a rule',
  fails: 'the person does not get the result',
  'not-offered': 'the documentation of the client, or a refusal by the server, says so',
  'not-tried': 'the use did not occur; this is not a verdict',
}

export function renderPairs({ pairs, subjects, untried }: PublicRecord): Markup {
  if (pairs.length === 0) return markup`<h1>${TITLE}</h1><p class="card">No pair was tried yet.</p>`
  const clients = sidesOf(pairs, 'client')
  const servers = sidesOf(pairs, 'server')
  const rows = clients.map((client) => {
    const cells = servers.map((server) => {
      const pair = pairs.find((one) => one.client.name === client.name && one.server.name === server.name)
      return pair === undefined ? markup`<td></td>` : renderCell(pair)
    })
    return markup`<tr><th scope="row">${sideLink(client, 'client', subjects)}</th>${cells}</tr>
`
  })
  const headings = servers.map((server) => sideLink(server, 'server', subjects))
  return markup`<h1>${TITLE}</h1>
<p class="lead">${plural(USE_IDS.length, 'use')} of ${plural(clients.length, 'client library', 'client libraries')} with ${plural(servers.length, 'server')}, each tried through a recording proxy. A cell has the uses that work, of those that both sides offer and that were tried.</p>
<dl class="legend">${VERDICTS.map((verdict) => markup`<div><dt>${plate(VERDICT_MARKS[verdict])}</dt><dd>${MEANINGS[verdict]}</dd></div>`)}</dl>
${renderFilters([{ name: 'use', label: 'Use', choices: USE_IDS.map((id) => [id, plain(USES[id])]) }])}
${renderGroupedTable(TITLE, 'matched cards', ['Client', ...headings], [{ rows }])}
${
  untried.length > 0 &&
  markup`<h2 id="untried">Servers that were not tried</h2>
<ul class="works-with">${untried.map((server) => {
    return markup`<li>${sideLink(server, 'server', subjects)} <span>${prose(server.reason)}</span></li>
`
  })}</ul>`
}`
}

const TITLE = 'Clients with servers'

/** An option has no code. */
const plain = (text: string): string => text.replaceAll('`', '')

/** The signs of `data-uses` are those of the legend, from which the filter takes the mark of a use. */
function renderCell(pair: Pair): Markup {
  const signs = verdictsOf(pair).map((verdict) => VERDICT_MARKS[verdict].sign)
  return markup`<td data-label="${pair.server.title}" data-uses="${signs.join('')}"><a href="${pairAddress(pair)}"><span data-all><b>${usesLine([pair])}</b>${countsOf(pair).map(renderCount)}</span><span data-one hidden></span></a></td>`
}

function renderCount({ mark, count }: { readonly mark: Mark; readonly count: number }): Markup | false {
  return (
    mark.kind !== 'pass' &&
    markup` <span class="${mark.kind} count">${mark.sign}\u2009${count}<span class="visually-hidden"> ${mark.label}</span></span>`
  )
}

/** The sides of all pairs, by title. */
export function sidesOf(pairs: readonly Pair[], side: 'client' | 'server') {
  const sides = new Map(pairs.map((pair) => [pair[side].name, pair[side]]))
  return [...sides.values()].toSorted((a, b) => a.title.localeCompare(b.title, 'en'))
}

/** The title of a side; a link, if the record has a page of it. A gateway is the server of its clients. */
export function sideLink(
  { name, title }: Pair['client'],
  side: 'client' | 'server',
  subjects: readonly Pick<JudgedImplementation, 'kind' | 'name'>[],
): Markup {
  const subject = subjects.find((one) => one.name === name && (one.kind === 'client') === (side === 'client'))
  return subject === undefined ? markup`${title}` : markup`<a href="${subjectAddress(subject)}">${title}</a>`
}

/** The pairs of one client or server. */
export function renderWorksWith({ kind, pairs }: JudgedImplementation): Markup | undefined {
  if (pairs.length === 0) return undefined
  return markup`<h2 id="works-with">Works with</h2>
<ul class="works-with">${pairs.map((pair) => {
    const { title, version } = kind === 'client' ? pair.server : pair.client
    return markup`<li><a href="${pairAddress(pair)}">${title} <span class="version">${version}</span></a> <span>${usesLine([pair])} ${countPlates(pair)}</span></li>
`
  })}</ul>`
}
