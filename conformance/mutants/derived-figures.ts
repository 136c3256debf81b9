// The figures of a run over derived servers: caught, not caught, equivalent, by kind of field and operator.
import { plural } from '../report/labels.ts'
import { isRight, type MutantVerdict } from './verdict.ts'

/** The part of docs/mutants.md that holds the figures of the last run that wrote them. */
const BEGIN = '<!-- derived servers: begin -->'
const END = '<!-- derived servers: end -->'

/** A figure of the kill table. */
export interface Figures {
  readonly caught: number
  readonly notCaught: number
  /** Servers whose difference the rows allow, and that were not blamed. */
  readonly equivalent: number
  /** Servers of which a row was blamed that they do not break, equivalent ones among them. */
  readonly wronglyBlamed: number
}

export function figuresOf(verdicts: readonly MutantVerdict[]): Figures {
  const count = (...outcomes: readonly MutantVerdict['outcome'][]): number =>
    verdicts.filter(({ outcome }) => outcomes.includes(outcome)).length
  return {
    caught: count('caught'),
    notCaught: count('missed', 'no case'),
    equivalent: count('green'),
    wronglyBlamed: count('blamed', 'red'),
  }
}

export function renderFigures({ caught, notCaught, equivalent, wronglyBlamed }: Figures): string {
  return `${caught} caught, ${notCaught} not caught, ${equivalent} equivalent, ${wronglyBlamed} wrongly blamed`
}

/** What the judge was wrong about, by field and operator, each with its places: a class that is to be closed. */
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

/** What a run drew from: a sample of all servers, or all of them. */
export interface DerivedRun {
  readonly seed: number
  /** How many derived servers there are. */
  readonly of: number
  readonly runs: number
}

/** The page with the figures of a run in their place; the text around them stays. */
export function withFigures(page: string, verdicts: readonly MutantVerdict[], run: DerivedRun): string {
  return `${page.slice(0, page.indexOf(BEGIN))}${BEGIN}\n${renderSection(verdicts, run)}\n${END}\n`
}

/** The figures that a page has, to be kept where the rest is written anew. */
export function figuresIn(page: string): string {
  const [, section = ''] = page.split(BEGIN)
  return `${BEGIN}${section.split(END)[0] ?? ''}${END}\n`
}

function renderSection(verdicts: readonly MutantVerdict[], { seed, of: all, runs }: DerivedRun): string {
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
    `${verdicts.length} of ${plural(all, 'derived server')}: **${renderFigures(figuresOf(verdicts))}**.`,
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
  ].join('\n')
}

function partsOf(mutant: MutantVerdict['mutant']) {
  return mutant.parts ?? { field: mutant.id, operator: '', where: '' }
}

/** `completion`, `chunk`, `request`, …: the first word of a field; those of the table of faults are `access`. */
function kindOf(field: string): string {
  const [first = '', second] = field.split(' ')
  return second === undefined ? 'access' : first
}
