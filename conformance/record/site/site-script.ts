// Filters and search. Every page works without this script, so it shows these controls itself. The state of a form is in
// the address of the page, under the names of its controls.
import { pageScript } from '../../../harness/html/page-script.ts'

export const SITE_SCRIPT = pageScript(`
  const form = document.querySelector('[data-filters]')
  const status = document.querySelector('[data-status]')
  const nothing = document.querySelector('[data-nothing]')
  for (const element of all('form[hidden]')) element.hidden = false

  function restore() {
    const state = new URLSearchParams(location.search)
    for (const control of form.elements) {
      if (!control.name) continue
      if (control.type === 'checkbox') control.checked = state.getAll(control.name).includes(control.value)
      else control.value = state.get(control.name) ?? ''
      if (control.selectedIndex === -1) control.value = ''
    }
    if (all('.picks :checked').length) document.querySelector('.picks').open = true
  }

  function remember() {
    const state = new URLSearchParams([...new FormData(form)].filter(([, value]) => value))
    const query = state.size ? '?' + state : ''
    // A browser may refuse this for a file.
    try { history.replaceState(null, '', location.pathname + query + location.hash) } catch {}
  }

  const marks = (row) => new Set(all('td', row).filter(visible).flatMap((cell) => [...cell.classList]).filter((name) => name !== 'older'))

  const SHOWN = { f: ['fail', 'warn'], q: ['inconclusive'] }

  const FILLERS = new Set('a an and are by can do does for how i in is it my of on or the to use what which who why will with work works'.split(' '))

  // The words of a question that name something; all words if none does.
  function words(question) {
    const all = question.toLowerCase().split(/\\s+/).map((word) => word.replace(/^["'(]+|["'),.!?:;]+$/g, '')).filter(Boolean)
    const names = all.filter((word) => !FILLERS.has(word))
    return names.length ? names : all
  }

  function shows(row, { show, q }) {
    if (q && !words(q).every((word) => row.textContent.toLowerCase().includes(word))) return false
    if (!show) return true
    const own = marks(row)
    if (show === 'differ') return own.size > 1
    return SHOWN[show].some((kind) => own.has(kind))
  }

  function apply() {
    const state = Object.fromEntries(new FormData(form))
    for (const name of ['kind', 'profile', 'group'])
      for (const element of all('[data-' + name + ']'))
        element.hidden = Boolean(state[name]) && element.dataset[name] !== state[name]
    for (const cell of all('[data-uses]')) {
      const sign = [...cell.dataset.uses][form.elements.use.selectedIndex - 1]
      const plate = all('.legend .plate').find((one) => one.firstChild.textContent === sign)
      const one = cell.querySelector('[data-one]')
      one.replaceChildren(...(plate ? [plate.cloneNode(true)] : []))
      one.hidden = !plate
      cell.querySelector('[data-all]').hidden = Boolean(plate)
    }
    for (const table of all('.front'))
      for (const row of table.rows)
        for (const cell of [...row.cells].slice(1)) cell.hidden = table.tHead.rows[0].cells[cell.cellIndex].hidden
    const rows = all('[data-row]')
    for (const row of rows) row.hidden = false
    const wanted = rows.map((row) => shows(row, state))
    rows.forEach((row, at) => { row.hidden = !wanted[at] })
    for (const part of all('.grid tbody, [data-list], .board'))
      part.toggleAttribute('data-unfound', !all('[data-row]', part).some((row) => !row.hidden))
    const count = rows.filter(visible).length
    status.textContent = count === rows.length ? '' : count + ' of ' + rows.length + ' shown'
    if (nothing) nothing.hidden = count > 0
  }

  if (form) {
    restore()
    apply()
    const changed = () => { remember(); apply() }
    form.addEventListener('input', changed)
    document.addEventListener('change', (event) => { if (event.target.form === form) changed() })
    form.addEventListener('submit', (event) => event.preventDefault())
    form.addEventListener('reset', () => setTimeout(() => {
      for (const control of form.elements) {
        if (control.type === 'checkbox') control.checked = false
        else if (control.name) control.value = ''
      }
      changed()
    }))
    addEventListener('popstate', () => { restore(); apply() })
  }

  for (const pair of all('[data-pair]'))
    pair.addEventListener('submit', (event) => {
      event.preventDefault()
      const names = [pair.elements.one.value, pair.elements.other.value].sort()
      if (names[0] !== names[1]) location.href = new URL(pair.dataset.pair + names.join('/') + '/index.html', document.baseURI)
    })
`)
