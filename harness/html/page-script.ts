// The scripts of pages: what every page does, and search, count, copy and fold of the pages in one file. A page works
// without its script, so the script shows these controls itself. It finds its elements by `data-` attributes.

/** Selects and shows elements, unfolds the target of a link, and moves to the search with `/`. */
const COMMON = `
  const all = (selector, from = document) => [...from.querySelectorAll(selector)]
  const visible = (element) => element.checkVisibility()

  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
    const search = all('input[type=search]').at(-1)
    if (!search || event.target.closest('input:not([type=radio], [type=checkbox]), textarea, select')) return
    event.preventDefault()
    search.focus()
  })

  function reveal() {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)))
    if (target instanceof HTMLDetailsElement) target.open = true
  }
  addEventListener('hashchange', reveal)
  reveal()
`

/** The script of a page: the common part, and then `own`. */
export function pageScript(own: string = SINGLE_FILE): string {
  return `'use strict'\n{${COMMON}${own}}\n`
}

const SINGLE_FILE = `
  for (const element of all('[data-scripted]')) element.hidden = false

  const rows = all('[data-row]')
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]))
  const search = document.querySelector('[data-search]')
  const status = document.querySelector('[data-status]')

  function update() {
    const words = (search?.value ?? '').toLowerCase().split(/\\s+/).filter(Boolean)
    for (const row of rows) row.toggleAttribute('data-unfound', !words.every((word) => texts.get(row).includes(word)))
    for (const group of all('[data-group]'))
      group.toggleAttribute('data-unfound', words.length > 0 && !all('[data-row]:not([data-unfound])', group).length)
    const ids = new Set(rows.filter(visible).map((row) => row.dataset.row))
    if (status) status.textContent = ids.size === 1 ? '1 requirement shown' : ids.size + ' requirements shown'
    const nothing = document.querySelector('[data-nothing]')
    nothing?.toggleAttribute('data-shown', ids.size === 0)
  }
  search?.addEventListener('input', update)
  document.addEventListener('change', update)

  for (const button of all('[data-fold]'))
    button.addEventListener('click', () => {
      for (const row of all('details[data-row]')) if (visible(row)) row.open = button.dataset.fold === 'open'
    })

  for (const button of all('[data-copy]'))
    button.addEventListener('click', async () => {
      const source = button.parentElement.querySelector('pre')
      try {
        await navigator.clipboard.writeText(source.textContent)
        button.textContent = 'Copied'
      } catch {
        getSelection().selectAllChildren(source)
        button.textContent = 'Selected'
      }
      setTimeout(() => { button.textContent = 'Copy' }, 2000)
    })

  update()
`
