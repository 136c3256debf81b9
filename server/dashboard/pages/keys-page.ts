// The list of keys: state, limits and traffic of each.
import { html } from 'hono/html'
import { table } from '../../pages/page.ts'
import type { ApiKey } from '../../keys/key-store.ts'
import {
  holdsSecret,
  listAddress,
  type ListQuery,
  type ListView,
  type Order,
  ORDERS,
  STATES,
} from '../data/key-list.ts'
import { BASE, keyPath } from '../dashboard-paths.ts'
import { type KeyTraffic, total } from '../data/traffic.ts'
import { daySpark } from './charts.ts'
import { emptyCard, type Html, type Page, select, type Shown, successNote } from './layout.ts'
import { ago, count, dateTime, keyLink, limitsOf, modelsOf, stateOf, whole } from './value-labels.ts'

export interface KeysPage extends Shown {
  readonly query: ListQuery
  readonly view: ListView
  /** Whether any key exists, found or not. */
  readonly any: boolean
  readonly traffic: KeyTraffic
  /** The key that was just revoked. */
  readonly revoked: ApiKey | undefined
  /** Whether a key was just deleted. */
  readonly deleted: boolean
}

export function keysPage(page: KeysPage): Page {
  const { query, view, any, revoked, deleted } = page
  const create = html`<a class="button main" href="${BASE}/keys/new">Create a key</a>`
  return {
    title: 'Keys',
    place: 'keys',
    content: html`<div class="head">
        <div>
          <h1>Keys</h1>
          <p>${view.found.active} active, ${view.found.revoked} revoked</p>
        </div>
        ${any && create}
      </div>
      ${
        revoked !== undefined &&
        successNote(html`“<bdi>${revoked.name}</bdi>” is revoked: the next request with it gets a 401.`)
      }
      ${deleted && successNote('The key is deleted: the next request with it gets a 401.')}
      ${any && searchForm(page)}
      ${
        view.shown.length > 0
          ? html`${keyTable(page)} ${pager(query, view)}`
          : any
            ? nothingFound(query, view)
            : noKeys(create)
      }`,
  }
}

function noKeys(create: Html): Html {
  return emptyCard(
    'No keys yet',
    html`Every request to the service needs a key. Create one for each program that calls it, so that each can
    be revoked separately.`,
    create,
  )
}

function nothingFound({ search, state, order }: ListQuery, { found }: ListView): Html {
  const elsewhere = { search, state: 'all', order, page: 1 } as const
  return emptyCard(
    search === '' ? `No ${state} key` : 'Nothing found',
    html`${
      search !== '' &&
      html`No ${state !== 'all' && state} key has “<bdi>${search}</bdi>” in its name, id, last four characters
      or models.`
    }
    ${
      found.all > 0 &&
      html`<a href="${listAddress(BASE, elsewhere)}">${count(found.all, 'key')} in another state</a>`
    }`,
    html`<a class="button" href="${BASE}">Show the active keys</a>`,
  )
}

function searchForm({ query, view }: KeysPage): Html {
  const states = Object.entries(STATES).map(
    ([value, text]) => [value, `${text} (${view.found[value as keyof typeof STATES]})`] as const,
  )
  return html`<form class="filter" method="get" action="${BASE}" role="search">
    <div class="wide">
      <label class="title" for="search">Search</label>
      <input
        id="search"
        name="q"
        type="search"
        value="${holdsSecret(query) ? '' : query.search}"
        placeholder="Name, id, last four or model"
        maxlength="200"
        autocomplete="off"
        spellcheck="false"
      />
    </div>
    ${select('state', 'State', states, query.state)}
    ${select('order', 'Order', Object.entries(ORDERS), query.order)}
    <button class="button">Show</button>
  </form>`
}

function pager(query: ListQuery, { page, pages }: ListView): Html | false {
  const link = (to: number, text: string) =>
    html`<a class="button small" href="${listAddress(BASE, { ...query, page: to })}">${text}</a>`
  return (
    pages > 1 &&
    html`<nav class="pager" aria-label="Pages">
      ${page > 1 && link(page - 1, 'Previous page')}
      <span>Page ${page} of ${pages}</span>
      ${page < pages && link(page + 1, 'Next page')}
    </nav>`
  )
}

function keyTable({ query, view, traffic, served, rateLimit, now }: KeysPage): Html {
  /** A heading that sorts the list; a second click reverses the order. */
  const sortable = (title: string, [first, second]: readonly [Order, Order], ascending: Order) => {
    const { order } = query
    const isHere = order === first || order === second
    const next = listAddress(BASE, { ...query, order: order === first ? second : first, page: 1 })
    return html`<th
      scope="col"
      ${isHere && html`aria-sort="${order === ascending ? 'ascending' : 'descending'}"`}
    >
      <a href="${next}">${title}</a>
    </th>`
  }
  const row = (key: ApiKey) => {
    const hours = traffic.hours(key.id)
    return html`<tr id="${key.id}">
      <th scope="row">${keyLink(key, 'name')}</th>
      <td data-label="State">${stateOf(key)}</td>
      <td data-label="Created">${dateTime(key.createdAt)}</td>
      <td data-label="Last used">${ago(traffic.lastUsed.get(key.id), now)}</td>
      <td data-label="Requests, 24 h">
        <div class="spark-cell">${daySpark(hours)}<span>${whole(total(hours))}</span></div>
      </td>
      <td data-label="Models">${modelsOf(key, served)}</td>
      <td data-label="Limits">${limitsOf(key, rateLimit)}</td>
      <td class="act">
        <a class="button small risky" href="${keyPath(key.id, key.revokedAt === null ? 'revoke' : 'delete')}"
          >${key.revokedAt === null ? 'Revoke' : 'Delete'}<span class="unseen"> ${key.name}</span></a
        >
      </td>
    </tr>`
  }
  return table(
    [
      sortable('Key', ['name', 'name-down'], 'name'),
      'State',
      sortable('Created', ['newest', 'oldest'], 'oldest'),
      sortable('Last used', ['used', 'unused'], 'unused'),
      'Requests, 24 h',
      'Models',
      'Limits',
      html`<th scope="col"><span class="unseen">Action</span></th>`,
    ],
    view.shown.map(row),
    '',
    `${STATES[query.state]} keys, ${ORDERS[query.order].toLowerCase()}`,
  )
}
