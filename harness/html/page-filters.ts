// Filters without a script: radio buttons, and CSS rules that hide the rows that do not match the selection.
import { type Markup, markup } from './markup.ts'

export interface Filter {
  readonly name: string
  readonly legend: string
  readonly choices: readonly Choice[]
}

export interface Choice {
  readonly value: string
  readonly label: Markup
  readonly count: number
}

/** The choices that show a row, by the name of the filter. */
export type ShowingChoices = Readonly<Record<string, readonly string[]>>

/** The radio buttons, in `.controls` before the filtered `.rows`. The first one shows all rows. */
export function renderFilter({ name, legend, choices }: Filter, total: number): Markup {
  const all: Choice = { value: 'all', label: markup`All`, count: total }
  return markup`<fieldset><legend>${legend}</legend><div class="choices">${[all, ...choices].map(
    ({ value, label, count }) =>
      markup`<label${count === 0 && markup` class="none"`}><input type="radio" name="${name}" id="${idOf(name, value)}"${value === 'all' && markup` checked`}>${label} <span class="count">${count}</span></label>`,
  )}</div></fieldset>`
}

/** The attribute of a row or a group of rows: every choice that shows one of them. */
export function tagged(rows: readonly ShowingChoices[]): Markup {
  const tags = new Set(
    rows.flatMap((answers) => combinations(Object.entries(answers)).map((ids) => ids.join('+'))),
  )
  return markup`data-tags="${[...tags].join(' ')}"`
}

/** The rules: rows without the tags of the selection are hidden, and `.nothing` is shown if no row has them. */
export function filterRules(filters: readonly Filter[]): string {
  const choices = filters.map(
    ({ name, choices }) => [name, choices.map(({ value }) => value)] satisfies [string, readonly string[]],
  )
  const rules = combinations(choices).flatMap((ids) => {
    const chosen = `.controls${ids.map((id) => `:has(#${id}:checked)`).join('')} ~ .rows`
    const untagged = `:not([data-tags~="${ids.join('+')}"])`
    return [
      `${chosen} [data-tags]${untagged} { display: none; }`,
      `${chosen}${untagged} .nothing { display: block; }`,
    ]
  })
  return ['.nothing { display: none; }', ...rules, '.nothing[data-shown] { display: block; }', ''].join('\n')
}

/** Every selection in one or more filters, as the ids of the buttons. */
function combinations([filter, ...others]: readonly (readonly [
  name: string,
  values: readonly string[],
])[]): readonly (readonly string[])[] {
  if (filter === undefined) return []
  const [name, values] = filter
  const own = values.map((value) => [idOf(name, value)])
  const more = combinations(others)
  return [...more, ...own, ...own.flatMap((ids) => more.map((others) => ids.concat(others)))]
}

function idOf(name: string, value: string): string {
  return `${name}-${value}`
}
