// The list of keys, the page of one key, and creating, revoking and deleting a key. Only the answer to the creating form
// holds the secret. No instance keeps it, so any instance can serve any request, and posting the form again shows no
// secret and creates no key (KEY-2).
import { KEY_PREFIX } from '../../../spec/protocol/key.ts'
import { type Context, Hono } from 'hono'
import { isKeyId, newKeyId } from '../../keys/key-record.ts'
import type { ApiKey } from '../../keys/key-store.ts'
import { BASE, keyPath } from '../dashboard-paths.ts'
import { EMPTY_KEY_FORM, keyFormValues, readKeyForm } from '../data/key-form.ts'
import { holdsSecret, listAddress, readListQuery, viewOf, withoutSecret } from '../data/key-list.ts'
import { trafficOf, useOf } from '../data/traffic.ts'
import { fields } from '../form-fields.ts'
import { negotiate } from '../negotiate.ts'
import { confirmPage } from '../pages/confirm-page.ts'
import { createdPage } from '../pages/created-page.ts'
import { createPage } from '../pages/create-page.ts'
import { keyPage } from '../pages/key-page.ts'
import { keysPage } from '../pages/keys-page.ts'
import { show, type Shown } from '../pages/layout.ts'
import { Problem } from '../problem.ts'
import { baseUrlOf } from '../../pages/base-url.ts'
import { outOfDate } from '../session/guard.ts'
import type { Session } from '../session/session.ts'
import type { Dashboard } from './dashboard.ts'

const SHOWN_ONCE =
  'This form has created its key, and the secret was shown once. If it is lost, create a new key and revoke this one.'

/** The entry of the audit log for each change. */
const CHANGES = { revoke: 'key-revoked', delete: 'key-deleted' } as const

/** A key in the list of a program. */
const listedKey = ({ id, name, lastFour, createdAt, revokedAt, models }: ApiKey) => ({
  id,
  name,
  secret: `${KEY_PREFIX}…${lastFour}`,
  state: revokedAt === null ? 'active' : 'revoked',
  created: createdAt.toISOString().slice(0, 10),
  models: models?.join(',') ?? 'all',
})

export function keyRoutes({ storage, models, rateLimit, guard, record, now }: Dashboard): Hono {
  const { keys, usage } = storage
  const app = new Hono()
  const shown = ({ csrf }: Session): Shown => ({ csrf, served: models(), rateLimit, now: now() })

  app.get('/', guard.page, async (c) => {
    const query = readListQuery(new URL(c.req.url).searchParams)
    // Browsers and proxies remember addresses, so a secret must not stay in one.
    if (holdsSecret(query)) return c.redirect(listAddress(BASE, withoutSecret(query)), 303)
    const [all, lastUsed] = await Promise.all([keys.list(), usage.lastUsed()])
    const page = shown(c.var.session)
    const view = viewOf(all, query, lastUsed)
    const ids = view.shown.map(({ id }) => id)
    const inBrowser = async () =>
      show(
        c,
        keysPage({
          ...page,
          query,
          view,
          any: all.length > 0,
          traffic: await trafficOf(usage, ids, lastUsed, page.now),
          revoked: all.find(({ id, revokedAt }) => id === c.req.query('revoked') && revokedAt !== null),
          deleted: c.req.query('deleted') !== undefined,
        }),
      )
    return negotiate(c, { keys: view.shown.map(listedKey), pages: view.pages }, inBrowser)
  })

  app.get('/keys/new', guard.page, (c) =>
    show(c, createPage({ ...shown(c.var.session), form: newKeyId(), values: EMPTY_KEY_FORM, problems: {} })),
  )

  app.get('/keys', guard.page, (c) => c.redirect(BASE, 303))

  app.post('/keys', guard.change, async (c) => {
    const { form, session } = c.var
    const id = form.get(fields.form) ?? ''
    if (!isKeyId(id)) throw outOfDate()
    const values = keyFormValues(form)
    const read = readKeyForm(values)
    if ('problems' in read) {
      const { problems } = read
      const page = () => show(c, createPage({ ...shown(session), form: id, values, problems }), 400)
      return negotiate(c, { problems: Object.values(problems) }, page, 400)
    }
    const made = await keys.createOnce(id, read.key)
    if (made === undefined)
      throw new Problem(409, 'Shown once', SHOWN_ONCE, { path: keyPath(id), text: 'Show the key' })
    await record(c, 'key-created', made.key)
    const page = () => show(c, createdPage({ ...shown(session), ...made, baseUrl: baseUrlOf(c) }))
    return negotiate(c, { id, secret: made.secret }, page)
  })

  app.get('/keys/:id', guard.page, async (c) => {
    const key = await findKey(c)
    const page = shown(c.var.session)
    return show(c, keyPage({ ...page, key, use: await useOf(usage, key.id, page.now) }))
  })

  for (const change of ['revoke', 'delete'] as const) {
    app.get(`/keys/:id/${change}`, guard.page, async (c) => {
      const key = await findKey(c)
      if (change === 'revoke' && key.revokedAt !== null) return c.redirect(keyPath(key.id), 303)
      const page = shown(c.var.session)
      return show(c, confirmPage({ ...page, change, key, use: await useOf(usage, key.id, page.now) }))
    })

    app.post(`/keys/:id/${change}`, guard.change, async (c) => {
      const key = await findKey(c)
      if (await keys[change](key.id)) await record(c, CHANGES[change], key)
      const done = change === 'revoke' ? new URLSearchParams({ revoked: key.id }) : 'deleted'
      return negotiate(c, {}, () => c.redirect(`${BASE}?${done}`, 303))
    })
  }

  async function findKey(c: Context): Promise<ApiKey> {
    const key = await keys.find(c.req.param('id') ?? '')
    if (key === undefined) throw new Problem(404, 'No such key', 'Key: no key has this id.')
    return key
  }

  return app
}
