// The list of keys, the page of one key, and creating, revoking and deleting a key. Only the answer to the creating form
// holds the secret. No instance keeps it, so any instance can serve any request, and posting the form again shows no
// secret and creates no key (KEY-2).
import { type Context, Hono } from 'hono'
import { isKeyId, newKeyId } from '../../keys/key-record.ts'
import type { ApiKey } from '../../keys/key-store.ts'
import { BASE, keyPath } from '../addresses.ts'
import { EMPTY_KEY_FORM, keyFormValues, readKeyForm } from '../data/key-form.ts'
import { holdsSecret, listAddress, readListQuery, viewOf, withoutSecret } from '../data/key-list.ts'
import { trafficOf, useOf } from '../data/traffic.ts'
import { fields } from '../fields.ts'
import { negotiate } from '../negotiate.ts'
import { confirmPage } from '../pages/confirm-page.ts'
import { createdPage } from '../pages/created-page.ts'
import { createPage } from '../pages/create-page.ts'
import { keyPage } from '../pages/key-page.ts'
import { keysPage } from '../pages/keys-page.ts'
import type { Shown } from '../pages/layout.ts'
import { Problem } from '../problem.ts'
import { baseUrlOf, outOfDate } from '../session/guard.ts'
import type { Dashboard } from './dashboard.ts'

const SHOWN_ONCE =
  'This form has created its key, and the secret was shown once. If it is lost, create a new key and revoke this one.'

export function keyRoutes({ storage, models, rateLimit, guard, record, now }: Dashboard): Hono {
  const { keys, usage } = storage
  const app = new Hono()
  const shown = (csrf: string): Shown => ({ csrf, served: models(), rateLimit, now: now() })

  app.get(
    '/',
    guard.page(async (c, csrf) => {
      const query = readListQuery(new URL(c.req.url).searchParams)
      // Browsers and proxies remember addresses, so a secret must not stay in one.
      if (holdsSecret(query)) return c.redirect(listAddress(BASE, withoutSecret(query)), 303)
      const [all, lastUsed] = await Promise.all([keys.list(), usage.lastUsed()])
      const page = shown(csrf)
      const view = viewOf(all, query, lastUsed)
      const ids = view.shown.map(({ id }) => id)
      return c.html(
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
    }),
  )

  app.get(
    '/keys/new',
    guard.page((c, csrf) =>
      c.html(createPage({ ...shown(csrf), form: newKeyId(), values: EMPTY_KEY_FORM, problems: {} })),
    ),
  )

  app.get(
    '/keys',
    guard.page((c) => c.redirect(BASE, 303)),
  )

  app.post(
    '/keys',
    guard.change(async (c, csrf, form) => {
      const id = form.get(fields.form) ?? ''
      if (!isKeyId(id)) throw outOfDate(csrf)
      const values = keyFormValues(form)
      const read = readKeyForm(values)
      if ('problems' in read) {
        const { problems } = read
        const page = { ...shown(csrf), form: id, values, problems }
        const texts = Object.values(problems)
        return negotiate(c, { problems: texts }, () => c.html(createPage(page), 400), 400)
      }
      const made = await keys.createOnce(id, read.key)
      if (made === undefined) {
        const link = { path: keyPath(id), text: 'Show the key' }
        throw new Problem(409, 'Shown once', SHOWN_ONCE, { csrf, link })
      }
      await record(c, 'key-created', made.key)
      const page = { ...shown(csrf), ...made, baseUrl: baseUrlOf(c) }
      return negotiate(c, { id, secret: made.secret }, () => c.html(createdPage(page)))
    }),
  )

  app.get(
    '/keys/:id',
    guard.page(async (c, csrf) => {
      const key = await findKey(c, csrf)
      const page = shown(csrf)
      return c.html(keyPage({ ...page, key, use: await useOf(usage, key.id, page.now) }))
    }),
  )

  for (const change of ['revoke', 'delete'] as const)
    app.get(
      `/keys/:id/${change}`,
      guard.page(async (c, csrf) => {
        const key = await findKey(c, csrf)
        if (change === 'revoke' && key.revokedAt !== null) return c.redirect(keyPath(key.id), 303)
        const page = shown(csrf)
        return c.html(confirmPage({ ...page, change, key, use: await useOf(usage, key.id, page.now) }))
      }),
    )

  app.post(
    '/keys/:id/revoke',
    guard.change(async (c, csrf) => {
      const key = await findKey(c, csrf)
      if (await keys.revoke(key.id)) await record(c, 'key-revoked', key)
      return negotiate(c, {}, () => c.redirect(`${BASE}?${new URLSearchParams({ revoked: key.id })}`, 303))
    }),
  )

  app.post(
    '/keys/:id/delete',
    guard.change(async (c, csrf) => {
      const key = await findKey(c, csrf)
      if (await keys.delete(key.id)) await record(c, 'key-deleted', key)
      return negotiate(c, {}, () => c.redirect(`${BASE}?deleted`, 303))
    }),
  )

  async function findKey(c: Context, csrf: string): Promise<ApiKey> {
    const key = await keys.find(c.req.param('id') ?? '')
    if (key === undefined) throw new Problem(404, 'No such key', 'Key: no key has this id.', { csrf })
    return key
  }

  return app
}
