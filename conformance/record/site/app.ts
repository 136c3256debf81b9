// The site as one application: each page of the record is a route.
import { Hono } from 'hono'
import { type RequirementId, requirements } from '../../../spec/catalogue/requirements.ts'
import {
  COMPARE,
  ENGINES,
  PAIRS,
  REQUIREMENTS,
  SEARCH,
  badgeAddress,
  boardAddress,
  comparisonAddress,
  entryAddress,
  pairAddress,
  requirementAddress,
  subjectAddress,
} from './addresses.ts'
import type { EngineEntry } from '../results/engine-entry.ts'
import type { Example } from '../../contract/subject.ts'
import { type SitePage, renderSitePage } from './frame.ts'
import { renderBadge } from './pages/badge.ts'
import { renderBoardPage } from './pages/board.ts'
import { comparisonTitle, pairsOf, renderComparison } from './pages/comparison.ts'
import { renderJson } from './pages/data.ts'
import { entryTitle, renderEntry } from './pages/entry-page.ts'
import { renderEngines } from './pages/engines.ts'
import { renderFront } from './pages/front.ts'
import { renderComparisons, renderIndex, renderRequirements } from './pages/lists.ts'
import { boardTitle } from './pages/parts.ts'
import { renderPairs } from './pages/pairs/pair-matrix.ts'
import { pairTitle, renderPair } from './pages/pairs/pair-page.ts'
import { renderRequirement } from './pages/requirement.ts'
import { renderSubject } from './pages/implementation-page.ts'
import type { PublicRecord } from './boards.ts'
import { SITE_SCRIPT } from './site-script.ts'
import { siteStyle } from './site-style.ts'

/** The mark that also stands beside the name of the site. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#2b2e33"/><path d="M5 16 11 0h3L8 16z" fill="#d9a735"/></svg>\n`

export function createSite(
  record: PublicRecord,
  exampleOf: (id: RequirementId) => Example | undefined,
  engines: readonly EngineEntry[] = [],
): Hono {
  const app = new Hono()
  const page = (address: string, title: string, render: () => SitePage['content']): void => {
    app.get(`/${address}`, (c) => c.html(renderSitePage({ address, title, content: render() }, record.date)))
  }
  const file = (address: string, type: string, render: () => string): void => {
    app.get(`/${address}`, (c) => c.body(render(), 200, { 'content-type': type }))
  }

  page('', 'Results', () => renderFront(record))
  page(REQUIREMENTS, 'Requirements', renderRequirements)
  for (const row of requirements)
    page(requirementAddress(row.id), row.id, () => renderRequirement(row, record, exampleOf(row.id)))
  page(SEARCH, 'Search', () => renderIndex(record))
  page(COMPARE, 'Compare', () => renderComparisons(record))
  page(ENGINES, 'Engines with families of models', () => renderEngines(engines))
  page(PAIRS, 'Clients with servers', () => renderPairs(record))
  for (const pair of record.pairs) page(pairAddress(pair), pairTitle(pair), () => renderPair(pair, record))
  for (const subject of record.subjects)
    page(subjectAddress(subject), subject.about.title, () => renderSubject(subject))
  for (const board of record.boards) {
    page(boardAddress(board), boardTitle(board), () => renderBoardPage(board))
    for (const judged of board.all) {
      page(entryAddress(judged), entryTitle(judged), () => renderEntry(judged, board))
      file(badgeAddress(judged), 'image/svg+xml', () => renderBadge(judged, board))
    }
    for (const pair of pairsOf(board)) {
      const [one, other] = pair
      page(comparisonAddress(board, one.entry.name, other.entry.name), comparisonTitle(pair), () =>
        renderComparison(pair, board),
      )
    }
  }

  const columns = Math.max(0, ...record.boards.map(({ all }) => all.length))
  file('style.css', 'text/css', () => siteStyle(columns))
  file('site.js', 'text/javascript', () => SITE_SCRIPT)
  file('icon.svg', 'image/svg+xml', () => ICON)
  file('results.json', 'application/json', () => renderJson(record))
  return app
}
