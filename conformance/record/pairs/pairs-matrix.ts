// The matrix of the clients that were tried with one server, as a part of a document.
import { withSection } from '../../../harness/page-section.ts'
import { type Pair, USES, USE_IDS, type Verdict, isFault } from '../results/pair-entry.ts'

const MARKS: Readonly<Record<Verdict, string>> = {
  works: '✓',
  'works-with-a-defect': '!',
  fails: '✗',
  'not-offered': '–',
  'not-tried': '?',
}

const SECTION = { begin: '<!-- pairs: `npm run docs` writes this part -->', end: '<!-- end of pairs -->' }

/** A page with the matrix of this server between its markers. Throws if it has no markers. */
export function withMatrix(page: string, pairs: readonly Pair[], server: string): string {
  const own = pairs.filter((pair) => pair.server.name === server)
  const head = ['use', ...own.map(({ client }) => `${client.name} ${client.version}`)]
  const rows = USE_IDS.map((id) => [
    USES[id],
    ...own.map(({ uses }) => MARKS[uses[id]?.verdict ?? 'not-tried']),
  ])
  const table = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  const notes = own.flatMap(({ client, uses }) =>
    USE_IDS.flatMap((id) => {
      const used = uses[id]
      if (used === undefined || !isFault(used.verdict)) return []
      const row = used.requirement === undefined ? '' : `, ${used.requirement}`
      return [`- ${client.name}, ${USES[id]}: ${used.text} (${used.side}${row})`]
    }),
  )
  return withSection(page, SECTION, [...table, ...(notes.length === 0 ? [] : ['', ...notes])])
}
