// The page of one entry, which keeps its address: how it was judged, its failures, and every check.
import { type Markup, markup, prose } from '../../../../harness/html/markup.ts'
import { bySection, plural } from '../../../report/labels.ts'
import { badgeAddress, boardAddress, bundleAddress, entryAddress, subjectAddress } from '../addresses.ts'
import { checksOfRow } from '../../results/check-index.ts'
import { MARKS, markOf, plate, sign } from '../marks.ts'
import { type Board, type Judged, outcomeOf, validUntil } from '../boards.ts'
import { causesOf, renderFailures } from './failures.ts'
import { PROFILES, PROVENANCES, checkName, counts, requirementLink, ruleOf, verified } from './parts.ts'

export function entryTitle({ entry, about }: Judged): string {
  return `${about.title} ${entry.version}, profile ${entry.profile}`
}

export function renderEntry(judged: Judged, board: Board): Markup {
  const { entry, about, stale } = judged
  return markup`<p class="small"><a href="${subjectAddress(entry)}">${about.title}</a>: all versions, and what changed between them</p>
<h1>${about.title} ${entry.version}</h1>
<p class="lead">${prose(about.description)}</p>
${stale !== undefined && markup`<p class="note">This result is stale: ${stale}.</p>`}
<p>${counts(judged, board)}</p>
<h2>How it was judged</h2>
${renderFacts(judged, board)}
<h2>Failures by cause</h2>
${renderFailures(judged)}
<h2>Every requirement and check</h2>
${bySection(board.rows).map(
  ({ prefix, name, rows }) => markup`<section class="group" id="${prefix}" aria-labelledby="h-${prefix}">
<h3 id="h-${prefix}">${name}</h3>
${rows.map((row) => renderRow(judged, row))}
</section>
`,
)}`
}

/** The circumstances of a run, and the commands that repeat it. */
export function renderFacts(judged: Judged, board: Board): Markup {
  const { entry } = judged
  const { os, arch, cores, node } = entry.platform
  const badge = badgeAddress(judged)
  return markup`<div class="card facts"><dl>
<dt>Date</dt><dd><time datetime="${entry.date}">${entry.date}</time></dd>
<dt>Provenance</dt><dd>${PROVENANCES[entry.provenance]}</dd>
<dt>Evidence</dt><dd>${evidence(judged)}</dd>
<dt>Valid until</dt><dd><time datetime="${validUntil(entry)}">${validUntil(entry)}</time></dd>
<dt>Profile</dt><dd><a href="${boardAddress(board)}">${entry.profile}</a>: ${PROFILES[entry.profile]}</dd>
<dt>Catalogue</dt><dd>version ${entry.catalogue}</dd>
<dt>Model</dt><dd>${prose(entry.model ?? 'none named')}</dd>
<dt>Platform</dt><dd>${os}, ${arch}, ${plural(cores, 'core')}, Node ${node}</dd>
<dt>Flags</dt><dd>${entry.flags.length === 0 ? 'defaults' : markup`<code>${entry.flags.join(' ')}</code>`}</dd>
<dt>Run</dt><dd>seed ${entry.seed}, ${plural(Object.keys(entry.checks).length, 'check')}, ${plural(entry.requests, 'request')}, ${plural(entry.seconds, 'second')}</dd>
<dt>Digest</dt><dd><code class="small">${entry.report}</code> <span class="quiet small">of the full report</span></dd>
<dt>Badge</dt><dd><img src="${badge}" alt="Badge of this result" height="20"> <span class="quiet small">links to <code>${entryAddress(judged)}</code></span></dd>
</dl>
<p class="small quiet">The commands that repeat it</p>
<pre tabindex="0" aria-label="Commands that repeat ${entry.version}, profile ${entry.profile}">${entry.reproduce.join('\n')}</pre></div>`
}

/** Whether every reader can judge the result again, and the bundle for it. */
function evidence(judged: Judged): Markup {
  if (judged.entry.bundle === undefined) return markup`<span class="quiet">the report alone</span>`
  return markup`${verified(judged.entry)} <a href="${bundleAddress(judged)}" download>the bundle</a> <span class="quiet small">for <code>npx touchstone verify</code></span>`
}

function renderRow(judged: Judged, row: Board['rows'][number]): Markup {
  const outcome = outcomeOf(judged, row.id)
  const mark = MARKS[outcome]
  const own = checksOfRow(row.id).filter(({ id }) => Object.hasOwn(judged.entry.checks, id))
  const causes = causesOf(judged, row.id)
  return markup`<details class="row ${mark.kind}" id="${row.id}">
<summary>${plate(mark)} <b class="id">${row.id}</b> <span class="rule">${ruleOf(row)}</span></summary>
${causes.map(({ cause }) => markup`<p class="cause">${prose(cause)}</p>`)}
${own.length === 0 && markup`<p>No check of this requirement was run.</p>`}
<ul class="checks">${own.map(({ id }) => markup`<li>${sign(markOf(judged.entry.checks[id]))} ${checkName(id)}</li>`)}</ul>
<p class="small">${requirementLink(row.id)}: an example, and all results</p>
</details>
`
}
