// The verdicts on faulty and odd servers, clients and gateways as lines of a terminal, and the page docs/mutants.md.
import { type RequirementId, requirements } from '../../../spec/catalogue/requirements.ts'
import type { Pen } from '../../../harness/cli/pen.ts'
import { cell, plural } from '../../report/labels.ts'
import type { Mutant } from './mutant.ts'
import { isRight, type MutantVerdict } from './mutant-verdict.ts'

/** One line for a verdict: the outcome, the mutant, the row that it breaks, and the rows that turned red. */
export function renderVerdict(verdict: MutantVerdict, pen: Pen): string {
  const { mutant, outcome, red, wrong, lost, note } = verdict
  const row = mutant.kind === 'fault' ? mutant.requirement : ''
  const blamed = wrong.length === 0 ? '' : `   wrongly: ${wrong.join(' ')}`
  const gone = lost.length === 0 ? '' : `   no longer: ${lost.join(' ')}`
  const why = note === undefined ? '' : `   ${note}`
  const line = `${outcome.padEnd(8)} ${mutant.id.padEnd(42)} ${row.padEnd(9)} red: ${red.join(' ') || 'none'}`
  return pen.paint(isRight(verdict) ? 'green' : 'red', line.trimEnd()) + blamed + gone + why
}

export function renderSummary(verdicts: readonly MutantVerdict[], pen: Pen): string {
  const count = (...outcomes: readonly MutantVerdict['outcome'][]): number =>
    verdicts.filter(({ outcome }) => outcomes.includes(outcome)).length
  const faults = verdicts.filter(({ mutant }) => mutant.kind === 'fault').length
  const oddities = verdicts.length - faults
  const lost = verdicts.filter((verdict) => verdict.lost.length > 0).length
  const parts = [
    `${count('caught')} of ${plural(faults, 'fault')} caught`,
    `${count('missed')} missed`,
    `${count('blamed')} with a row wrongly blamed`,
    ...(lost === 0 ? [] : [`${lost} without a check of the kill table`]),
    ...(count('no case') === 0 ? [] : [`${count('no case')} without a case yet`]),
    `${count('green')} of ${plural(oddities, 'odd one')} green`,
  ]
  const wrong = verdicts.filter((verdict) => !isRight(verdict)).length
  return `${pen.paint(wrong === 0 ? 'green' : 'red', wrong === 0 ? 'RIGHT' : 'WRONG')}  ${parts.join(', ')}`
}

/** The page docs/mutants.md: what each server, client and gateway does, and which rows the judge must blame. */
export function renderPage({
  servers,
  clients,
  gateways,
  derived,
}: Record<'servers' | 'clients' | 'gateways' | 'derived', readonly Mutant[]>): string {
  return [
    '# Faulty servers, clients and gateways',
    '',
    'After this page you know how far the judge can be trusted, and can run it against a server with a known fault.',
    '',
    '    npx touchstone mutants                           # judges all of them',
    '    npx touchstone mutants --only STREAM-2           # those of one row',
    '    FAULTY_KEY=… npx node fixtures/faulty/faulty-server.ts --upstream URL --fault ID     # starts one, with a key of URL',
    '',
    'Each faulty server is the reference server behind a proxy with exactly one fault (`fixtures/faulty/`), described',
    'before its check was read. The judge runs the whole catalogue against it: the row that the fault breaks must turn',
    'red, and besides it only rows whose own text the fault breaks too. The odd servers at the end do unusual things',
    'that the rows allow, and must stay green.',
    '',
    'If the judge is wrong about a server, it tries once more, because a busy machine may disturb times. The exit code is',
    '1 if it is wrong again. `npx touchstone mutants` judges all of this table.',
    '',
    '[mutants.json](mutants.json) is the kill table: the checks that catch each fault, and those that pass on each odd server',
    'because of the rows that allow it. A check that does not do so any more is an error too. `--markdown docs/mutants.md`',
    'writes both files, the kill table for the servers of that run.',
    '',
    ...renderFaults(servers, 'fault', 'server'),
    '',
    ...renderOddities(servers, 'odd server', [
      ['server', ({ id }) => `\`${id}\``],
      ['what it does', ({ description, flags }) => cell(description) + judgedWith(flags)],
      ['allowed by', ({ tolerances }) => tolerances.join(', ')],
      ['may warn', ({ leavesUnmet }) => leavesUnmet.join(', ')],
      ['seen at', ({ source = '' }) => cell(source)],
    ]),
    '',
    ...renderFaults(clients, 'faulty client', 'client', [
      '    npx touchstone mutants --clients                 # judges all of them',
      '    npx touchstone client -- npx node fixtures/faulty-clients/faulty-client.ts --fault ID     # judges one',
      '',
      'Each breaks one rule for programs that call a service, and keeps all others (`fixtures/faulty-clients/`).',
      '`npx touchstone mutants --clients` judges all of this table.',
      '',
    ]),
    '',
    ...renderOddities(clients, 'odd client', [
      ['client', ({ id }) => `\`${id}\``],
      ['what it does', ({ description }) => cell(description)],
      ['allowed by', ({ tolerances }) => tolerances.join(', ')],
    ]),
    '',
    ...renderFaults(gateways, 'faulty gateway', 'gateway', [
      '    npx touchstone mutants --gateways                # judges all of them',
      '',
      'Each stands between a client and the scripted upstream, and breaks one rule for gateways (`fixtures/faulty-gateways/`).',
      '',
    ]),
    '',
    ...renderOddities(gateways, 'odd gateway', [
      ['gateway', ({ id }) => `\`${id}\``],
      ['what it does', ({ description }) => cell(description)],
      ['allowed by', ({ tolerances }) => tolerances.join(', ')],
      ['may warn', ({ leavesUnmet }) => leavesUnmet.join(', ')],
    ]),
    '',
    ...renderDerived(derived),
    '',
  ].join('\n')
}

function renderDerived(derived: readonly Mutant[]): readonly string[] {
  const count = (kind: Mutant['kind'], own: readonly Mutant[]) =>
    own.filter((one) => one.kind === kind).length
  const cell = (own: readonly Mutant[]) =>
    own.length === 0 ? '' : `${count('fault', own)} / ${count('oddity', own)}`
  const kinds = [...Map.groupBy(derived, ({ parts }) => kindOf(parts?.field ?? ''))]
  const operators = [...Map.groupBy(derived, ({ parts }) => parts?.operator ?? '')]
  const row = (name: string, own: readonly Mutant[]) =>
    `| ${[name, ...kinds.map(([, of]) => cell(of.filter((one) => own.includes(one)))), cell(own)].join(' | ')} |`
  return [
    `## ${plural(count('fault', derived), 'derived fault')}`,
    '',
    'Faults are derived as well: each member of every answer, each field of a request, each header and each credential,',
    'by each operator (left out, null, another type, a number as a string, one more, at its bound, …) in each place',
    '(always, in the second element, in the cut answer, beside calls, in a stream, in later answers). The text of the',
    `catalogue decides by a rule which row a server breaks, or that it is equivalent: allowed, as ${count('oddity', derived)} are`,
    '(`fixtures/faulty/derived/`). `npx touchstone mutants --derived` judges them by the checks of that row and a',
    'few beside them, and those that are not caught by the whole catalogue; `--sample N --seed N` draws some.',
    '',
    'Each cell: faults / equivalent servers.',
    '',
    `| operator | ${kinds.map(([name]) => name).join(' | ')} | all |`,
    `|${'---|'.repeat(kinds.length + 2)}`,
    ...operators.map(([name, own]) => row(name, own)),
    row('all', derived),
  ]
}

/** The first word of a field, such as `completion` or `request`; `access` for a fault of the table in one place. */
function kindOf(field: string): string {
  const [first = '', second] = field.split(' ')
  return second === undefined ? 'access' : first
}

type Fault = Extract<Mutant, { kind: 'fault' }>
type Oddity = Extract<Mutant, { kind: 'oddity' }>

/** The section of the faults, in the order of the catalogue. */
function renderFaults(
  mutants: readonly Mutant[],
  title: string,
  noun: string,
  intro: readonly string[] = [],
): readonly string[] {
  const place = (id: RequirementId): number => requirements.findIndex((row) => row.id === id)
  const faults = mutants
    .filter((mutant): mutant is Fault => mutant.kind === 'fault')
    .toSorted((one, other) => place(one.requirement) - place(other.requirement))
  return [
    `## ${plural(faults.length, title)}`,
    '',
    ...intro,
    `| row | ${noun} | what it does | may turn red as well |`,
    '|---|---|---|---|',
    ...faults.map(({ requirement, id, description, flags, alsoBreaks, why, alone }) => {
      const others = alsoBreaks.length === 0 ? '' : `${alsoBreaks.join(', ')}. ${why ?? ''}`
      const only = alone ? ` (Judged by the checks of ${requirement} alone.)` : ''
      return `| ${requirement} | \`${id}\` | ${cell(description)}${only}${judgedWith(flags)} | ${cell(others)} |`
    }),
  ]
}

/** The section of the odd ones, with these columns. */
function renderOddities(
  mutants: readonly Mutant[],
  title: string,
  columns: readonly (readonly [name: string, text: (oddity: Oddity) => string])[],
): readonly string[] {
  const oddities = mutants.filter((mutant): mutant is Oddity => mutant.kind === 'oddity')
  return [
    `## ${plural(oddities.length, title)}`,
    '',
    `| ${columns.map(([name]) => name).join(' | ')} |`,
    `|${'---|'.repeat(columns.length)}`,
    ...oddities.map((oddity) => `| ${columns.map(([, text]) => text(oddity)).join(' | ')} |`),
  ]
}

function judgedWith(flags: readonly string[]): string {
  return flags.length === 0 ? '' : ` (Judged with \`${flags.join(' ')}\`.)`
}
