// The page of a pair: each use with its verdict, the side at fault, the exchange that shows it and the command that repeats it.
import { type Markup, markup, prose } from '../../../../../harness/html/markup.ts'
import { isRequirementId } from '../../../../../spec/catalogue/requirements.ts'
import { plural } from '../../../../report/labels.ts'
import { type Pair, USES, USE_IDS, type UseId, type Used, isFault } from '../../../results/pair-entry.ts'
import { PAIRS } from '../../addresses.ts'
import type { PublicRecord } from '../../boards.ts'
import { plate } from '../../marks.ts'
import { outside, requirementLink } from '../parts.ts'
import { sideLink } from './pair-matrix.ts'
import { VERDICT_MARKS, countPlates } from './verdicts.ts'

export function pairTitle({ client, server }: Pair): string {
  return `${client.title} ${client.version} with ${server.title} ${server.version}`
}

export function renderPair(pair: Pair, { subjects }: Pick<PublicRecord, 'subjects'>): Markup {
  const { client, server, date, platform, uses } = pair
  const { os, arch, cores, node } = platform
  return markup`<p class="small"><a href="${PAIRS}">Clients with servers</a></p>
<h1>${pairTitle(pair)}</h1>
<p>${countPlates(pair)}</p>
<h2>Uses</h2>
${USE_IDS.map((id) => renderUse(id, uses[id]))}
<h2>How it was tried</h2>
<div class="card facts"><dl>
<dt>Client</dt><dd>${sideLink(client, 'client', subjects)} ${client.version}</dd>
<dt>Server</dt><dd>${sideLink(server, 'server', subjects)} ${server.version}</dd>
<dt>Model</dt><dd>${prose(server.model ?? 'none named')}</dd>
<dt>Date</dt><dd><time datetime="${date}">${date}</time></dd>
<dt>Catalogue</dt><dd>version ${pair.catalogue}, judged by Touchstone ${pair.judge}</dd>
<dt>Platform</dt><dd>${os}, ${arch}, ${plural(cores, 'core')}, Node ${node}</dd>
<dt>Run</dt><dd>${plural(pair.seconds, 'second')}</dd>
<dt>Digest</dt><dd><code class="small">${pair.evidence}</code> <span class="quiet small">of all exchanges</span></dd>
</dl>
<p class="small quiet">The commands that repeat it</p>
<pre tabindex="0" aria-label="Commands that repeat the pair">${pair.reproduce.join('\n')}</pre></div>`
}

/** A use that does not work is unfolded. */
function renderUse(id: UseId, used: Used | undefined): Markup {
  const verdict = used?.verdict ?? 'not-tried'
  const mark = VERDICT_MARKS[verdict]
  const isOpen = isFault(verdict)
  return markup`<details class="row ${mark.kind}" id="${id}"${isOpen && markup` open`}>
<summary>${plate(mark)} <span class="rule">${prose(USES[id])}</span>${used?.side !== undefined && markup` <span class="small quiet">${isOpen ? 'fault of the' : 'by the'} ${used.side}</span>`}</summary>
${used === undefined ? markup`<p>No verdict on this use.</p>` : renderUsed(id, used)}
</details>
`
}

function renderUsed(id: UseId, used: Used): Markup {
  const { text, requirement, documentation, exchange, fromProxy, repeat } = used
  return markup`<p class="cause">${prose(text)}</p>
${fromProxy && markup`<p class="small quiet">The proxy gave the answer, because the server cannot be made to: only the client is judged.</p>`}
<dl class="small exchange">${requirement !== undefined && isRequirementId(requirement) && markup`<dt>Requirement</dt><dd>${requirementLink(requirement)}</dd>`}
${documentation !== undefined && markup`<dt>Documentation</dt><dd>${outside(documentation)}</dd>`}
${
  exchange !== undefined &&
  markup`<dt>Request</dt><dd><code>${exchange.request}</code></dd><dt>Answer</dt><dd><code>${exchange.answer}</code></dd>
<dt>Digest</dt><dd><code>${exchange.digest}</code></dd>`
}</dl>
<pre tabindex="0" aria-label="Command that repeats ${id}">${repeat}</pre>`
}
