// The verdicts on faulty and odd servers for people: lines while they come, a summary, and the page in docs/.
import { type RequirementId, requirements } from '../../spec/catalogue/requirements.ts'
import type { Pen } from '../../harness/cli/pen.ts'
import { cell, plural } from '../report/labels.ts'
import type { Mutant } from './faulty-servers.ts'
import { isRight, type MutantVerdict } from './verdict.ts'

/** One line for a verdict: the outcome, the server, the row that it breaks, and the rows that turned red. */
export function renderVerdict(verdict: MutantVerdict, pen: Pen): string {
  const { mutant, outcome, red, wrong, note } = verdict
  const row = mutant.kind === 'fault' ? mutant.requirement : ''
  const blamed = wrong.length === 0 ? '' : `   wrongly: ${wrong.join(' ')}`
  const why = note === undefined ? '' : `   ${note}`
  const line = `${outcome.padEnd(8)} ${mutant.id.padEnd(42)} ${row.padEnd(9)} red: ${red.join(' ') || 'none'}`
  return pen.paint(isRight(verdict) ? 'green' : 'red', line.trimEnd()) + blamed + why
}

/** What all verdicts come to, in one line. */
export function renderSummary(verdicts: readonly MutantVerdict[], pen: Pen): string {
  const count = (...outcomes: readonly MutantVerdict['outcome'][]): number =>
    verdicts.filter(({ outcome }) => outcomes.includes(outcome)).length
  const faults = verdicts.filter(({ mutant }) => mutant.kind === 'fault').length
  const oddities = verdicts.length - faults
  const parts = [
    `${count('caught')} of ${plural(faults, 'fault')} caught`,
    `${count('missed')} missed`,
    `${count('blamed')} with a row wrongly blamed`,
    ...(count('no case') === 0 ? [] : [`${count('no case')} without a case yet`]),
    `${count('green')} of ${plural(oddities, 'odd one')} green`,
  ]
  const wrong = verdicts.filter((verdict) => !isRight(verdict)).length
  return `${pen.paint(wrong === 0 ? 'green' : 'red', wrong === 0 ? 'RIGHT' : 'WRONG')}  ${parts.join(', ')}`
}

/**
 * The page docs/mutants.md: what each server and client does, and what the judge must say of it. `figures` are those of
 * the last run over derived servers that wrote them, which stand at its end.
 */
export function renderPage(mutants: readonly Mutant[], figures: string, clients: readonly Mutant[]): string {
  const faults = mutants
    .filter((mutant) => mutant.kind === 'fault')
    .toSorted((one, other) => placeOf(one.requirement) - placeOf(other.requirement))
  const oddities = mutants.filter((mutant) => mutant.kind === 'oddity')
  return [
    '# Faulty servers and clients',
    '',
    'After this page you know how far the judge can be trusted, and can run it against a server with a known fault.',
    '',
    '    npm run conformance -- mutants                           # judges all of them',
    '    npm run conformance -- mutants --only STREAM-2           # those of one row',
    '    FAULTY_KEY=… npx node fixtures/faulty/main.ts --upstream URL --fault ID     # starts one, with a key of URL',
    '',
    'Each faulty server is the reference server behind a proxy with exactly one fault (`fixtures/faulty/`), described',
    'before its check was read. The judge runs the whole catalogue against it: the row that the fault breaks must turn',
    'red, and besides it only rows whose own text the fault breaks too. The odd servers at the end do unusual things',
    'that the rows allow, and must stay green.',
    '',
    'Where the judge is wrong about a server, it tries once more, as a busy machine may disturb times. The exit code is 1',
    'where it is wrong again. `npm run conformance -- mutants` judges all of this table.',
    '',
    `## ${plural(faults.length, 'fault')}`,
    '',
    '| row | server | what it does | may turn red as well |',
    '|---|---|---|---|',
    ...faults.map(({ requirement, id, description, flags, alsoBreaks, why, alone }) => {
      const others = alsoBreaks.length === 0 ? '' : `${alsoBreaks.join(', ')}. ${why ?? ''}`
      const only = alone ? ` (Judged by the checks of ${requirement} alone.)` : ''
      return `| ${requirement} | \`${id}\` | ${cell(description)}${only}${judgedWith(flags)} | ${cell(others)} |`
    }),
    '',
    `## ${plural(oddities.length, 'odd server')}`,
    '',
    '| server | what it does | allowed by | may warn | seen at |',
    '|---|---|---|---|---|',
    ...oddities.map(
      ({ id, description, flags, tolerances, leavesUnmet, source = '' }) =>
        `| \`${id}\` | ${cell(description)}${judgedWith(flags)} | ${tolerances.join(', ')} | ${leavesUnmet.join(', ')} | ${cell(source)} |`,
    ),
    '',
    ...renderClients(clients),
    '## Derived servers',
    '',
    'Faults are derived as well: each member of every answer, each field of a request, each header and each credential,',
    'by each operator (left out, null, another type, a number as a string, one more, at its bound, …) in each place',
    '(always, in the second element, where the answer was cut, beside calls, in a stream, in later answers). The text of',
    'the catalogue says by a rule which row a server breaks, or that it is equivalent: allowed (`fixtures/faulty/derived/`).',
    '`npm run conformance -- mutants --derived` judges them by the checks of that row and a few beside them, those that',
    'are not caught by the whole catalogue; `--sample N --seed N` draws some, and `--markdown docs/mutants.md` writes the',
    'figures here. `conformance/faulty-servers/derived.test.ts` holds the judge to a sample.',
    '',
    figures.trimEnd(),
    '',
  ].join('\n')
}

/** The clients: what each does, and what the judge of clients must say of it. */
function renderClients(clients: readonly Mutant[]): readonly string[] {
  const faults = clients
    .filter((client) => client.kind === 'fault')
    .toSorted((one, other) => placeOf(one.requirement) - placeOf(other.requirement))
  const oddities = clients.filter((client) => client.kind === 'oddity')
  return [
    `## ${plural(faults.length, 'faulty client')}`,
    '',
    '    npm run conformance -- mutants --clients                 # judges all of them',
    '    npm run conformance -- client -- npx node fixtures/faulty-clients/main.ts --fault ID     # judges one',
    '',
    'Each keeps every rule of those that call a service but one (`fixtures/faulty-clients/`).',
    '`npm run conformance -- mutants --clients` judges all of this table.',
    '',
    '| row | client | what it does | may turn red as well |',
    '|---|---|---|---|',
    ...faults.map(({ requirement, id, description, alsoBreaks, why }) => {
      const others = alsoBreaks.length === 0 ? '' : `${alsoBreaks.join(', ')}. ${why ?? ''}`
      return `| ${requirement} | \`${id}\` | ${cell(description)} | ${cell(others)} |`
    }),
    '',
    `## ${plural(oddities.length, 'odd client')}`,
    '',
    '| client | what it does | allowed by |',
    '|---|---|---|',
    ...oddities.map(
      ({ id, description, tolerances }) => `| \`${id}\` | ${cell(description)} | ${tolerances.join(', ')} |`,
    ),
    '',
  ]
}

/** Where a row stands in the catalogue. */
function placeOf(id: RequirementId): number {
  return requirements.findIndex((row) => row.id === id)
}

function judgedWith(flags: readonly string[]): string {
  return flags.length === 0 ? '' : ` (Judged with \`${flags.join(' ')}\`.)`
}
