// The keys that the list shows, and their order. The address contains the view, so it can be bookmarked and shared.
import { KEY_PREFIX, redactKeys } from '../../../spec/protocol/key.ts'
import type { ApiKey } from '../../keys/key-store.ts'

/** Keys on one page. */
export const PAGE_SIZE = 15
/** Maximum length of a search, in characters. */
const MAX_SEARCH_LENGTH = 200

export const STATES = { active: 'Active', revoked: 'Revoked', all: 'All' } as const
export const ORDERS = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  name: 'Name, A to Z',
  'name-down': 'Name, Z to A',
  used: 'Last used first',
  unused: 'Last used last',
} as const

export type State = keyof typeof STATES
export type Order = keyof typeof ORDERS

export type ListQuery = ReturnType<typeof readListQuery>

/** The view of an address. Missing and invalid values get defaults. */
export function readListQuery(query: URLSearchParams) {
  const state = query.get('state') ?? ''
  const order = query.get('order') ?? ''
  const page = query.get('page') ?? ''
  return {
    search: (query.get('q') ?? '').trim().slice(0, MAX_SEARCH_LENGTH),
    state: isIn(state, STATES) ? state : 'active',
    order: isIn(order, ORDERS) ? order : 'newest',
    /** The number of the page; the first is 1. */
    page: /^[1-9]\d{0,5}$/.test(page) ? Number(page) : 1,
  }
}

function isIn<Table extends object>(word: string, table: Table): word is keyof Table & string {
  return Object.hasOwn(table, word)
}

/** The address of a view, without default values. */
export function listAddress(base: string, { search, state, order, page }: ListQuery): string {
  const query = new URLSearchParams({
    ...(search !== '' && { q: search }),
    ...(state !== 'active' && { state }),
    ...(order !== 'newest' && { order }),
    ...(page !== 1 && { page: String(page) }),
  })
  return query.size === 0 ? base : `${base}?${query}`
}

/** Whether the search contains a whole secret, which must not stay in an address. */
export function holdsSecret({ search }: ListQuery): boolean {
  return redactKeys(search) !== search
}

/** Searches by the last four characters of the secret instead of the secret. */
export function withoutSecret(query: ListQuery): ListQuery {
  return { ...query, search: query.search.trim().slice(-4) }
}

export type ListView = ReturnType<typeof viewOf>

/** The keys of a view. `lastUsed`: milliseconds since the epoch. */
export function viewOf(keys: readonly ApiKey[], query: ListQuery, lastUsed: ReadonlyMap<string, number>) {
  const found = keys.filter((key) => matches(key, query.search))
  const inState = found.filter((key) => query.state === 'all' || stateOfKey(key) === query.state)
  const active = found.filter((key) => stateOfKey(key) === 'active').length
  const pages = Math.max(1, Math.ceil(inState.length / PAGE_SIZE))
  const page = Math.min(query.page, pages)
  return {
    shown: ordered(inState, query.order, lastUsed).slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE),
    /** Number of keys that match the search, by state. */
    found: { active, revoked: found.length - active, all: found.length },
    pages,
    /** The shown page: the last one if the address asks for a later one. */
    page,
  }
}

function stateOfKey(key: ApiKey): 'active' | 'revoked' {
  return key.revokedAt === null ? 'active' : 'revoked'
}

/** A search matches the name, the id, the masked key or a model id. */
function matches({ name, id, lastFour, models }: ApiKey, search: string): boolean {
  const wanted = search.toLocaleLowerCase('en')
  const texts = [name, id, `${KEY_PREFIX}…${lastFour}`, ...(models ?? [])]
  return texts.some((text) => text.toLocaleLowerCase('en').includes(wanted))
}

/** `keys` are sorted newest first. */
function ordered(
  keys: readonly ApiKey[],
  order: Order,
  lastUsed: ReadonlyMap<string, number>,
): readonly ApiKey[] {
  const used = (key: ApiKey) => lastUsed.get(key.id) ?? 0
  switch (order) {
    case 'newest':
      return keys
    case 'oldest':
      return keys.toReversed()
    case 'name':
      return keys.toSorted(byName)
    case 'name-down':
      return keys.toSorted((one, other) => byName(other, one))
    case 'used':
      return keys.toSorted((one, other) => used(other) - used(one))
    case 'unused':
      return keys.toSorted((one, other) => used(one) - used(other))
  }
}

const collator = new Intl.Collator('en', { numeric: true })

function byName(one: ApiKey, other: ApiKey): number {
  return collator.compare(one.name, other.name)
}
