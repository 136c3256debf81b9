// Which family of models keeps its calls and thoughts on which engine: a cell for each, and below it the causes in bytes.
import { renderGroupedTable } from '../../../../harness/html/grouped-table.ts'
import { type Markup, markup, prose } from '../../../../harness/html/markup.ts'
import { plural } from '../../../report/labels.ts'
import type { EngineEntry } from '../../results/engine-entry.ts'
import { countMarks, isFailed, MARKS } from '../marks.ts'

const TITLE = 'Engines with families of models'

export function renderEngines(engines: readonly EngineEntry[]): Markup {
  if (engines.length === 0) return markup`<h1>${TITLE}</h1><p class="card">No engine was tried yet.</p>`
  const families = [...new Set(engines.flatMap((one) => Object.keys(one.families)))].toSorted()
  const rows = families.map((family) => {
    const cells = engines.map((one) => renderCell(one, family))
    return markup`<tr><th scope="row">${family}</th>${cells}</tr>
`
  })
  const headings = engines.map(({ engine }) => markup`${engine.title} ${engine.version}`)
  return markup`<h1>${TITLE}</h1>
<p class="lead">${plural(families.length, 'family', 'families')} of models on ${plural(engines.length, 'engine')}. A puppet is a real model that says known texts, so that the expectation comes from the text alone. A cell has the checks of PARSE-1 to PARSE-10 by their outcomes.</p>
${renderGroupedTable(TITLE, 'matched cards', ['Family', ...headings], [{ rows }])}
${engines.map(renderCauses)}`
}

function renderCell({ engine, families }: EngineEntry, family: string): Markup {
  const judged = families[family]
  if (judged === undefined) return markup`<td data-label="${engine.title}"></td>`
  const counts = countMarks(Object.values(judged.checks).map(({ outcome }) => outcome))
  return markup`<td data-label="${engine.title}"><a href="engines/#${idOf(engine.name, family)}">${counts.map(
    ({ mark, count }) =>
      markup`<span class="${mark.kind} count">${mark.sign}\u2009${count}<span class="visually-hidden"> ${mark.label}</span></span> `,
  )}</a></td>`
}

const idOf = (engine: string, family: string): string => `${engine}-${family}`

function renderCauses({ engine, families, causes }: EngineEntry): Markup {
  return markup`<h2>${engine.title} ${engine.version}</h2>
${
  Object.keys(causes).length > 0 &&
  markup`<ul>${Object.values(causes).map(
    ({
      text,
      confirmed,
    }) => markup`<li>${prose(text)} <span class="quiet">Confirmed: ${prose(confirmed)}</span></li>
`,
  )}</ul>`
}
${Object.entries(families).map(([family, { checks }]) => {
  const failed = Object.entries(checks).filter(([, { outcome }]) => isFailed(MARKS[outcome]))
  return markup`<h3 id="${idOf(engine.name, family)}">${family}</h3>
${
  failed.length === 0
    ? markup`<p>No check fails.</p>`
    : markup`<ul>${failed.map(
        ([id, { expected, actual, cause }]) =>
          markup`<li><code>${id}</code>${cause !== undefined && markup` ${prose(causes[cause]?.text ?? '')}`}<br>expected <code>${expected ?? ''}</code><br>received <code>${actual ?? ''}</code></li>
`,
      )}</ul>`
}`
})}`
}
