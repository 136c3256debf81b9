// The figures of a run over derived servers: caught, not caught, equivalent, by kind of field and operator.
import { plural } from '../../report/labels.ts'
import { withSection } from '../../../harness/page-section.ts'
import { isRight, type MutantVerdict } from './verdict.ts'

/** The part of docs/mutants.md with the figures of the last run that wrote them. */
const FIGURES = { begin: '<!-- derived servers: begin -->', end: '<!-- derived servers: end -->' }

export function figuresOf(verdicts: readonly MutantVerdict[]) {
  const count = (...outcomes: readonly MutantVerdict['outcome'][]): number =>
    verdicts.filter(({ outcome }) => outcomes.includes(outcome)).length
  return {
    caught: count('caught'),
    notCaught: count('missed', 'no case'),
    /** Servers whose difference the rows allow, without a red row. */
    equivalent: count('green'),
    /** Servers with a red row that they do not break, including equivalent ones. */
    wronglyBlamed: count('blamed', 'red'),
  }
}

export function renderFigures(verdicts: readonly MutantVerdict[]): string {
  const { caught, notCaught, equivalent, wronglyBlamed } = figuresOf(verdicts)
  return `${caught} caught, ${notCaught} not caught, ${equivalent} equivalent, ${wronglyBlamed} wrongly blamed`
}

/** The wrong verdicts by field and operator, each with its places: classes of faults that the judge misses. */
export function renderWrong(verdicts: readonly MutantVerdict[]): string {
  const wrong = verdicts.filter((verdict) => !isRight(verdict) || verdict.outcome === 'no case')
  const classes = Map.groupBy(wrong, ({ mutant, outcome }) => {
    const { field, operator } = partsOf(mutant)
    const row = mutant.kind === 'fault' ? mutant.requirement : 'equivalent'
    return `${outcome.padEnd(8)} ${row.padEnd(10)} ${field} × ${operator}`
  })
  return [...classes]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([name, own]) => {
      const places = own.map(({ mutant, wrong: blamed }) => [partsOf(mutant).where, ...blamed].join(' '))
      return `${name}: ${places.join(', ')}`
    })
    .join('\n')
}

interface DerivedRun {
  readonly seed: number
  readonly of: number
  readonly runs: number
}

/** The page with the figures of a run; the text around them stays. */
export function withFigures(page: string, verdicts: readonly MutantVerdict[], run: DerivedRun): string {
  return withSection(page, FIGURES, renderSection(verdicts, run))
}

/** The figures of a page, to keep them when the rest is written again. */
export function figuresIn(page: string): string {
  const [, section = ''] = page.split(FIGURES.begin)
  return `${FIGURES.begin}${section.split(FIGURES.end)[0] ?? ''}${FIGURES.end}\n`
}

function renderSection(verdicts: readonly MutantVerdict[], { seed, of: all, runs }: DerivedRun) {
  const kinds = Map.groupBy(verdicts, ({ mutant }) => kindOf(partsOf(mutant).field))
  const operators = [...new Set(verdicts.map(({ mutant }) => partsOf(mutant).operator))]
  const cell = (own: readonly MutantVerdict[]): string => {
    const { caught, notCaught, equivalent, wronglyBlamed } = figuresOf(own)
    return own.length === 0 ? '' : `${caught} / ${notCaught} / ${equivalent} / ${wronglyBlamed}`
  }
  const heads = [...kinds.keys()]
  const isSample = verdicts.length < all
  const drawn = isSample ? ` --sample ${verdicts.length}` : ''
  return [
    `${verdicts.length} of ${plural(all, 'derived server')}: **${renderFigures(verdicts)}**.`,
    '',
    `    npm run conformance -- mutants --derived${drawn} --seed ${seed} --runs ${runs}`,
    '',
    'Each cell: caught / not caught / equivalent / wrongly blamed.',
    '',
    `| operator | ${heads.join(' | ')} | all |`,
    `|---|${heads.map(() => '---|').join('')}---|`,
    ...operators.map((operator) => {
      const own = (of: readonly MutantVerdict[]) =>
        of.filter(({ mutant }) => partsOf(mutant).operator === operator)
      const cells = [...kinds.values()].map((of) => cell(own(of)))
      return `| ${operator} | ${cells.join(' | ')} | ${cell(own(verdicts))} |`
    }),
    `| all | ${[...kinds.values()].map(cell).join(' | ')} | ${cell(verdicts)} |`,
    '',
    'Not caught or wrongly blamed, by field and operator, each with its places:',
    '',
    '```',
    renderWrong(verdicts) || 'none',
    '```',
  ]
}

function partsOf(mutant: MutantVerdict['mutant']) {
  return mutant.parts ?? { field: mutant.id, operator: '', where: '' }
}

/** `completion`, `chunk`, `request`, …: the first word of a field; `access` for the faults of the table. */
function kindOf(field: string): string {
  const [first = '', second] = field.split(' ')
  return second === undefined ? 'access' : first
}
