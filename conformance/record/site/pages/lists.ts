// The pages that lead to others: the requirements, the comparisons, and the index of everything, which the search filters.
import { type Markup, markup, prose } from '../../../../harness/html/markup.ts'
import { requirements } from '../../../../spec/catalogue/requirements.ts'
import { splitText } from '../../../report/example.ts'
import { bySection } from '../../../report/labels.ts'
import {
  COMPARE,
  PAIRS,
  boardAddress,
  comparisonsId,
  entryAddress,
  pairAddress,
  requirementAddress,
  subjectAddress,
} from '../addresses.ts'
import { USES } from '../../results/pair-entry.ts'
import { checksOfRow } from '../../results/check-index.ts'
import type { Board, PublicRecord } from '../boards.ts'
import { pairTitle } from './pairs/pair-page.ts'
import { faultsOf, usesLine } from './pairs/verdicts.ts'
import { boardTitle, requirementLink, ruleOf } from './parts.ts'

export function renderRequirements(): Markup {
  return markup`<h1>Requirements</h1>
<p class="lead">Every numbered requirement of the catalogue. A MUST fails a run, a SHOULD warns, a MAY is reported only.</p>
${bySection(requirements).map(({ prefix, name, rows }) => {
  return markup`<section id="${prefix}" aria-labelledby="h-${prefix}"><h2 id="h-${prefix}">${name}</h2>
<ul class="requirements">${rows.map((row) => {
    return markup`<li>${requirementLink(row.id)} <span>${ruleOf({ ...row, text: splitText(row.text)[0] })}</span></li>
`
  })}</ul></section>
`
})}`
}

export function renderComparisons({ boards }: PublicRecord): Markup {
  const pairable = boards.filter(({ newest }) => newest.length > 1)
  return markup`<h1>Compare</h1>
<p class="lead">Two implementations side by side: the requirements that differ, and why. Only results of one profile are compared.</p>
${pairable.map(renderChoice)}`
}

/** The choice of two implementations; each one also leads to its own page, which lists all others. */
function renderChoice(board: Board): Markup {
  const key = board.id.replace('/', '-')
  const { newest } = board
  const select = (name: string, label: string, chosen: number): Markup =>
    markup`<label><span>${label}</span><select name="${name}">${newest.map(({ entry, about }, at) => markup`<option value="${entry.name}"${at === chosen && markup` selected`}>${about.title}</option>`)}</select></label>`
  return markup`<section aria-labelledby="${key}"><h2 id="${key}">${boardTitle(board)}</h2>
<form class="filters" data-pair="${COMPARE}${board.id}/" hidden>${select('one', 'First', 0)}${select('other', 'Second', 1)}<button class="button">Compare</button></form>
<p class="links">Begin with ${newest.map(({ entry, about }) => markup`<a href="${subjectAddress(entry)}#${comparisonsId(board)}">${about.title}</a> `)}</p>
<p class="small"><a href="${boardAddress(board)}">All of them and older versions in one table</a></p></section>
`
}

/** The index; without the script it is a list of everything. */
export function renderIndex({ subjects, pairs, untried }: PublicRecord): Markup {
  return markup`<h1>Search</h1>
<form class="filters" data-filters hidden aria-label="Search"><label class="wide"><span>Words or a question; every name must occur</span><input class="search" type="search" name="q" autocomplete="off"></label><p class="small quiet" role="status" data-status></p></form>
<section aria-labelledby="implementations" data-list><h2 id="implementations">Implementations</h2><ul class="index">${subjects.map(
    ({ kind, name, about, boards }) => {
      return markup`<li data-row><a href="${subjectAddress({ kind, name })}">${about.title}</a> <span class="small quiet">${kind}, ${name}. ${prose(about.description)}</span> <span class="small">${boards.flatMap(({ entries }) => entries.map((judged) => markup`<a href="${entryAddress(judged)}">${judged.entry.version} ${judged.entry.profile}</a> `))}</span></li>
`
    },
  )}</ul></section>
<section aria-labelledby="causes" data-list><h2 id="causes">Causes of failures</h2><ul class="index">${subjects.flatMap(
    ({ kind, name, about }) =>
      Object.values(about.causes).map(({ cause, classification }) => {
        return markup`<li data-row><a href="${subjectAddress({ kind, name })}">${about.title}</a>: ${prose(cause)} <span class="small quiet">${classification}</span></li>
`
      }),
  )}</ul></section>
<section aria-labelledby="pairs" data-list><h2 id="pairs">Clients with servers</h2><ul class="index">${pairs.map(
    (pair) => {
      return markup`<li data-row><a href="${pairAddress(pair)}">${pairTitle(pair)}</a> <span class="small quiet">${pair.client.name} with ${pair.server.name}: ${usesLine([pair])} work.${faultsOf(pair).map(([id, { text }]) => markup` ${prose(USES[id])}: ${prose(text)}`)}</span></li>
`
    },
  )}${untried.map(({ name, title, reason }) => {
    return markup`<li data-row><a href="${PAIRS}#untried">${title}</a> <span class="small quiet">${name}, not tried with clients: ${prose(reason)}</span></li>
`
  })}</ul></section>
<section aria-labelledby="requirements" data-list><h2 id="requirements">Requirements and checks</h2><ul class="index">${requirements.map(
    ({ id, text }) => {
      return markup`<li data-row><a class="id" href="${requirementAddress(id)}">${id}</a> ${prose(text)}${checksOfRow(id).length > 0 && markup` <span class="small quiet">${checksOfRow(id).map(({ id: check }) => markup`<code>${check}</code> `)}</span>`}</li>
`
    },
  )}</ul></section>
<p class="card" data-nothing hidden>Nothing matches.</p>`
}
