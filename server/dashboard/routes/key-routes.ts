// The list of keys, one key, making one, and revoking one. The secret of a new key is in the answer to its form and in no
// other: nothing of it is kept, so that any instance may get any request, and sending the form again shows no secret and
// makes no key (KEY-2).
import { type Context, Hono } from 'hono'
import { isKeyId, newKeyId } from '../../keys/key-record.ts'
import type { ApiKey } from '../../keys/key-store.ts'
import { createdPage } from '../pages/created-page.ts'
import { createPage } from '../pages/create-page.ts'
import { baseUrlOf, OUT_OF_DATE } from '../session/guard.ts'
import { EMPTY_KEY_FORM, keyFormValues, readKeyForm } from './key-form.ts'
import { holdsSecret, listAddress, readListQuery, viewOf, withoutSecret } from './key-list.ts'
import { keyPage, revokePage } from '../pages/key-page.ts'
import { trafficOf, useOf } from './key-usage.ts'
import { keysPage } from '../pages/keys-page.ts'
import { BASE } from '../pages/layout.ts'
import { fields } from '../pages/page-elements.ts'
import { keyPath } from '../pages/paths.ts'
import { problem } from '../pages/problem.ts'
import type { Dashboard } from './dashboard.ts'
import type { Session } from '../session/session.ts'

export function keyRoutes({ storage, models, rateLimit, guard, record, now }: Dashboard): Hono {
  const { keys, usage } = storage
  const app = new Hono()

  app.get(
    '/',
    guard.page(async (c, session) => {
      const query = readListQuery(new URL(c.req.url).searchParams)
      // So that the secret does not stay in the address, which browsers and proxies remember.
      if (holdsSecret(query)) return c.redirect(listAddress(BASE, withoutSecret(query)), 303)
      const [all, lastUsed] = await Promise.all([keys.list(), usage.lastUsed()])
      const time = now()
      const view = viewOf(all, query, lastUsed)
      const shown = view.shown.map(({ id }) => id)
      return c.html(
        keysPage({
          session,
          query,
          view,
          any: all.length > 0,
          traffic: await trafficOf(usage, shown, lastUsed, time),
          served: models(),
          rateLimit,
          revoked: all.find(({ id, revokedAt }) => id === c.req.query('revoked') && revokedAt !== null),
          now: time,
        }),
      )
    }),
  )

  app.get(
    '/keys/new',
    guard.page((c, session) =>
      c.html(
        createPage({ session, form: newKeyId(), served: models(), values: EMPTY_KEY_FORM, problems: {} }),
      ),
    ),
  )

  app.get(
    '/keys',
    guard.page((c) => c.redirect(BASE, 303)),
  )

  app.post(
    '/keys',
    guard.change(async (c, session, form) => {
      const id = form.get(fields.form) ?? ''
      if (!isKeyId(id)) return problem(c, 403, 'Not accepted', OUT_OF_DATE, session)
      const values = keyFormValues(form)
      const read = readKeyForm(values)
      if ('problems' in read) {
        const page = { session, form: id, served: models(), values, problems: read.problems }
        return c.html(createPage(page), 400)
      }
      const made = await keys.createOnce(id, read.key)
      if (made === undefined)
        return problem(c, 409, 'Shown once', SHOWN_ONCE, session, { path: keyPath(id), text: 'Show the key' })
      await record(c, 'key-created', made.key)
      return c.html(createdPage({ ...made, session, served: models(), rateLimit, baseUrl: baseUrlOf(c) }))
    }),
  )

  app.get(
    '/keys/:id',
    guard.page(async (c, session) => {
      const key = await findKey(c)
      if (key === undefined) return noSuchKey(c, session)
      const time = now()
      const use = await useOf(usage, key.id, time)
      return c.html(keyPage({ key, use, session, served: models(), rateLimit, now: time }))
    }),
  )

  app.get(
    '/keys/:id/revoke',
    guard.page(async (c, session) => {
      const key = await findKey(c)
      if (key === undefined) return noSuchKey(c, session)
      if (key.revokedAt !== null) return c.redirect(keyPath(key.id), 303)
      const time = now()
      return c.html(revokePage({ key, use: await useOf(usage, key.id, time), session, now: time }))
    }),
  )

  app.post(
    '/keys/:id/revoke',
    guard.change(async (c, session) => {
      const key = await findKey(c)
      if (key === undefined) return noSuchKey(c, session)
      if (await keys.revoke(key.id)) await record(c, 'key-revoked', key)
      return c.redirect(`${BASE}?${new URLSearchParams({ revoked: key.id })}`, 303)
    }),
  )

  function findKey(c: Context): Promise<ApiKey | undefined> {
    return keys.find(c.req.param('id') ?? '')
  }

  return app
}

const SHOWN_ONCE =
  'This form has made its key, whose secret was shown once. If it is lost, create a new key and revoke this one.'

function noSuchKey(c: Context, session: Session): Response | Promise<Response> {
  return problem(c, 404, 'No such key', 'Key: there is none with this id.', session)
}
