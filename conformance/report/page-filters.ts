// Filters that work without a script: radio buttons, and rules that hide what the chosen ones do not name.
import { type Markup, markup } from './markup.ts'

/** One question that the rows of a page answer by an attribute of theirs, `data-<name>`. */
export interface Filter {
  readonly name: string
  readonly legend: string
  readonly choices: readonly Choice[]
}

export interface Choice {
  /** The value of the attribute, one of its words. */
  readonly value: string
  readonly label: Markup
  readonly count?: number
}

/** The radio buttons; the first one shows everything. */
export function renderFilter({ name, legend, choices }: Filter, total: number): Markup {
  const all: Choice = { value: 'all', label: markup`All`, count: total }
  return markup`<fieldset><legend>${legend}</legend><div class="choices">${[all, ...choices].map(
    ({ value, label, count }) =>
      markup`<label${count === 0 && markup` class="none"`}><input type="radio" name="${name}" id="${idOf(name, value)}"${value === 'all' && markup` checked`}>${label}${count !== undefined && markup` <span class="count">${count}</span>`}</label>`,
  )}</div></fieldset>`
}

/** The rules: rows and whole groups that have none of what is chosen go, and where all are gone `.nothing` shows. */
export function filterRules(filters: readonly Filter[]): string {
  const rows = filters.flatMap(({ name, choices }) =>
    choices.map(
      ({ value }) => `main:has(#${idOf(name, value)}:checked) [data-row]:not([data-${name}~=${value}])`,
    ),
  )
  const chosen = combinations(filters).map((picks) => ({
    where: `main${picks.map(({ name, value }) => `:has(#${idOf(name, value)}:checked)`).join('')}`,
    row: `[data-row]:not(.ref)${picks.map(({ name, value }) => `[data-${name}~=${value}]`).join('')}`,
  }))
  return [
    '.nothing { display: none; }',
    ...rows.map((rule) => `${rule} { display: none; }`),
    ...chosen.map(({ where, row }) => `${where} [data-group]:not(:has(${row})) { display: none; }`),
    ...chosen.map(({ where, row }) => `${where}:not(:has(${row})) .nothing { display: block; }`),
    '.nothing[data-shown] { display: block; }',
    '',
  ].join('\n')
}

interface Pick {
  readonly name: string
  readonly value: string
}

/** Every way to choose by one filter or more. */
function combinations([filter, ...others]: readonly Filter[]): readonly (readonly Pick[])[] {
  if (filter === undefined) return []
  const more = combinations(others)
  const own = filter.choices.map(({ value }): Pick => ({ name: filter.name, value }))
  const alone = own.map((pick) => [pick])
  const together = own.flatMap((pick) => more.map((picks) => [pick].concat(picks)))
  return [...more, ...alone, ...together]
}

function idOf(name: string, value: string): string {
  return `${name}-${value}`
}
