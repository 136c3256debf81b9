// The record for programs: all results as JSON.
import { type Pair, type Used, USE_IDS } from '../../results/pair-entry.ts'
import { entryAddress, pairAddress } from '../addresses.ts'
import { type PublicRecord, outcomeOf } from '../boards.ts'

/** Every entry with the outcome of each row, the results by earlier catalogues, and every pair with the verdict on each use; an address leads to the page. */
export function renderJson({ boards, subjects, date, pairs }: PublicRecord): string {
  const entries = boards.flatMap((board) =>
    board.all.map((judged) => {
      const { catalogue, kind, name, version, profile, date, provenance, model } = judged.entry
      const rows = Object.fromEntries(board.rows.map(({ id }) => [id, outcomeOf(judged, id)]))
      const own = { catalogue, kind, name, version, profile, date, provenance, model }
      return {
        ...own,
        address: entryAddress(judged),
        stale: judged.stale ?? null,
        tiers: judged.tiers ?? null,
        rows,
      }
    }),
  )
  const earlier = subjects.flatMap(({ kind, name, about }) =>
    (about.earlier ?? []).map((judged) => Object.assign({ kind, name }, judged)),
  )
  const data = { schema: 'touchstone.results/1', date, entries, earlier, pairs: pairs.map(pairData) }
  return `${JSON.stringify(data)}\n`
}

function pairData(pair: Pair) {
  const { catalogue, client, server, date, uses } = pair
  const verdict = ({ verdict, side, requirement }: Partial<Used> = {}) => ({ verdict, side, requirement })
  return {
    catalogue,
    client,
    server,
    date,
    address: pairAddress(pair),
    uses: Object.fromEntries(USE_IDS.map((id) => [id, verdict(uses[id])])),
  }
}
