// The rotation of one key to another. A `Refresh` header reloads the page as often as the operator chose.
import { Hono } from 'hono'
import { judgeRotation, minutesOf, readRotationQuery } from '../data/key-rotation.ts'
import { show } from '../pages/layout.ts'
import { rotationPage } from '../pages/rotation-page.ts'
import type { Dashboard } from './dashboard.ts'

export function rotationRoutes({ storage, guard, usageDelayMs, now: clock }: Dashboard): Hono {
  const { keys, usage } = storage
  const app = new Hono()

  app.get('/rotation', guard.page, async (c) => {
    const query = readRotationQuery(new URL(c.req.url).searchParams)
    const { silence, range, refresh } = query
    const all = await keys.list()
    const [old, fresh] = [query.old, query.new].map((id) => all.find((key) => key.id === id))
    // A chosen key that was revoked in the meantime stays selectable.
    const choices = all.filter((key) => key.revokedAt === null || key === old || key === fresh)
    const isUnknown = (old === undefined && query.old !== '') || (fresh === undefined && query.new !== '')
    if (isUnknown) return show(c, rotationPage(query, choices, 'Key: no key has this id.'))
    if (old === undefined || fresh === undefined) return show(c, rotationPage(query, choices))
    if (old === fresh) return show(c, rotationPage(query, choices, 'Choose two different keys.'))
    const now = clock()
    const traffic = await minutesOf(usage, old, fresh, range, now)
    const verdict = judgeRotation({ ...traffic, silence, delayMs: usageDelayMs, now })
    if (refresh > 0) c.header('Refresh', String(refresh))
    return show(c, rotationPage(query, choices, { traffic, verdict, now }))
  })
  return app
}
