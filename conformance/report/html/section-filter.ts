// The search and the filter by section, which all pages of requirements share.
import { type Markup, markup } from '../../../harness/html/markup.ts'
import type { Filter } from '../../../harness/html/page-filters.ts'
import { bySection } from '../labels.ts'

/** The search field, shown if scripts run. */
export function renderSearch(label: string): Markup {
  return markup`<label class="find" data-scripted hidden><span class="visually-hidden">${label}</span><input class="search" type="search" placeholder="Search, press /" data-search autocomplete="off"></label>`
}

export function sectionFilter(rows: readonly { readonly id: string }[]): Filter {
  const choices = bySection(rows).map(({ prefix, name, rows: own }) => {
    return { value: prefix, label: markup`${name}`, count: own.length }
  })
  return { name: 'section', legend: 'Section', choices }
}

/** The value of a requirement for that filter. */
export function sectionPrefix(id: string): string {
  return id.split('-')[0] ?? ''
}
