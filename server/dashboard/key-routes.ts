// The list of keys, making one, and revoking one. The secret of a new key is shown by the page behind the form's
// redirect, and by no other: loading that page again shows no secret and makes no key (KEY-2).
import { randomBytes } from 'node:crypto'
import { type Context, Hono } from 'hono'
import type { ApiKey, KeyStore, NewKey } from '../keys/key-store.ts'
import { createdPage, createPage } from './create-pages.ts'
import { baseUrlOf, type Guard } from './guard.ts'
import { EMPTY_KEY_FORM, type KeyFormProblems, keyFormValues, readKeyForm } from './key-form.ts'
import { BASE, type Html } from './layout.ts'
import { fields } from './page-elements.ts'
import { keyPath, keysPage, revokePage } from './pages.ts'
import { problem } from './problem.ts'
import type { Session } from './session.ts'

export interface KeyRoutesOptions {
  readonly keys: KeyStore
  /** The ids of the models that are served now. */
  readonly models: () => readonly string[]
  readonly guard: Guard
}

export function keyRoutes({ keys, models, guard }: KeyRoutesOptions): Hono {
  const app = new Hono()

  app.get(
    '/',
    guard.page(async (c, session) => {
      const { notice } = session
      session.notice = undefined
      return c.html(keysPage({ keys: await keys.list(), served: models(), session, notice }))
    }),
  )

  app.get(
    '/keys/new',
    guard.page((c, session) => c.html(keyForm(session))),
  )

  app.post(
    '/keys',
    guard.change(async (c, session, form) => {
      const values = keyFormValues(form)
      const read = readKeyForm(values)
      if ('problems' in read) return c.html(keyForm(session, values, read.problems), 400)
      const id = await createOnce(session, form.get(fields.form) ?? newFormId(), read.key)
      return c.redirect(keyPath(id), 303)
    }),
  )

  app.get(
    '/keys/:id',
    guard.page(async (c, session) => {
      const key = await findKey(c)
      if (key === undefined) return noSuchKey(c, session)
      // A HEAD request shows nothing, so it must not use the secret up.
      const secret = c.req.method === 'HEAD' ? undefined : session.secrets.take(key.id)
      if (secret === undefined) return problem(c, 410, 'Shown once', SHOWN_ONCE, session)
      return c.html(createdPage({ key, secret, session, served: models(), baseUrl: baseUrlOf(c) }))
    }),
  )

  app.get(
    '/keys/:id/revoke',
    guard.page(async (c, session) => {
      const key = await findKey(c)
      if (key === undefined) return noSuchKey(c, session)
      if (key.revokedAt === null) return c.html(revokePage({ key, session }))
      session.notice = `“${key.name}” was revoked before.`
      return c.redirect(BASE, 303)
    }),
  )

  app.post(
    '/keys/:id/revoke',
    guard.change(async (c, session) => {
      const key = await findKey(c)
      if (key === undefined) return noSuchKey(c, session)
      await keys.revoke(key.id)
      session.notice = `“${key.name}” is revoked: the next request with it gets a 401.`
      return c.redirect(BASE, 303)
    }),
  )

  function keyForm(session: Session, values = EMPTY_KEY_FORM, problems: KeyFormProblems = {}): Html {
    return createPage({ session, form: newFormId(), served: models(), values, problems })
  }

  /** Makes the key of this form, or finds the one that it made: a double click makes one key. Returns its id. */
  async function createOnce(session: Session, form: string, wanted: NewKey): Promise<string> {
    const made = session.forms.get(form)
    if (made !== undefined) return made
    const making = keys.create(wanted).then(({ key, secret }) => {
      session.secrets.set(key.id, secret)
      return key.id
    })
    session.forms.set(form, making)
    // A form that failed may be posted again.
    making.catch(() => void session.forms.take(form))
    return making
  }

  async function findKey(c: Context): Promise<ApiKey | undefined> {
    const id = c.req.param('id')
    return (await keys.list()).find((key) => key.id === id)
  }

  return app
}

function newFormId(): string {
  return randomBytes(16).toString('base64url')
}

const SHOWN_ONCE =
  'The secret of a key is shown once, when the key is made. If it is lost, create a new key and revoke this one.'

function noSuchKey(c: Context, session: Session): Response | Promise<Response> {
  return problem(c, 404, 'No such key', 'Key: there is none with this id.', session)
}
