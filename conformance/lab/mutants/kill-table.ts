// The kill table: the checks that catch each fault, and those that pass on each odd server, client and gateway.
// `mutants --markdown docs/mutants.md` writes it to docs/mutants.json, and `npm run docs` what is missing there; a run that loses
// one of them is an error.
import pinned from '../../../docs/mutants.json' with { type: 'json' }
import type { MutantVerdict } from './mutant-verdict.ts'

type Part = 'servers' | 'clients' | 'gateways'

/** The ids of checks by the id of a mutant. */
export type KillTable = Readonly<Record<Part, Readonly<Record<string, readonly string[]>>>>

export const killTable: KillTable = parse(pinned)

/** The file has one line for each mutant: its id, and its checks with spaces between them. */
function parse(file: Readonly<Record<Part, Readonly<Record<string, string>>>>): KillTable {
  const part = (lines: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(lines).map(([id, checks]) => [id, checks.split(' ')]))
  return { servers: part(file.servers), clients: part(file.clients), gateways: part(file.gateways) }
}

export const NOTHING_PINNED: KillTable = { servers: {}, clients: {}, gateways: {} }

/** Checks that send random requests: with few of them, chance decides whether one shows a fault. */
const RANDOM = /^invalid-bodies\.(?!streamed-)/

/**
 * The table with the checks that were decisive in each of these runs over the same mutants. A check of random requests is
 * left out if another one catches the fault, unless every request of the check shows it.
 */
export function withRuns(
  table: KillTable,
  part: Part,
  [first = [], ...others]: readonly (readonly MutantVerdict[])[],
): KillTable {
  const entries = first.map(({ mutant, decisive }, place) => {
    const always = decisive.filter((id) => others.every((run) => run[place]?.decisive.includes(id)))
    const isWhole = mutant.parts?.operator.endsWith(', taken') === true
    const certain = isWhole ? always : always.filter((id) => !RANDOM.test(id))
    return [mutant.id, certain.length === 0 ? always : certain] as const
  })
  return { ...table, [part]: { ...table[part], ...Object.fromEntries(entries) } }
}

/** The text of the file, without entries that have no check or whose mutant does not exist any more. */
export function renderKillTable(table: KillTable, exists: (id: string) => boolean): string {
  const lines = (part: KillTable[Part]) =>
    Object.fromEntries(
      Object.entries(part)
        .filter(([id, checks]) => exists(id) && checks.length > 0)
        .toSorted(([one], [other]) => (one < other ? -1 : 1))
        .map(([id, checks]) => [id, checks.join(' ')]),
    )
  const { servers, clients, gateways } = table
  const file = { servers: lines(servers), clients: lines(clients), gateways: lines(gateways) }
  return `${JSON.stringify(file, null, 1)}\n`
}
