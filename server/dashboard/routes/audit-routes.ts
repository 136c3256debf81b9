// The audit log, complete or of one key.
import { Hono } from 'hono'
import { isKeyId } from '../../keys/key-record.ts'
import { auditPage } from '../pages/audit-page.ts'
import { show } from '../pages/layout.ts'
import type { Dashboard } from './dashboard.ts'

/** Maximum entries on the page, at first and when the operator asks for more. */
const SHOWN = 100
const MAX_SHOWN = 1000

export function auditRoutes({ storage: { keys, audit }, guard }: Dashboard): Hono {
  const app = new Hono()
  app.get('/audit', guard.page, async (c) => {
    const keyId = c.req.query('key') || undefined
    const limit = c.req.query('show') === String(MAX_SHOWN) ? MAX_SHOWN : SHOWN
    // One entry more than the page shows, to know whether there are more.
    const wanted = { limit: limit + 1, ...(keyId !== undefined && { keyId }) }
    const entries = keyId === undefined || isKeyId(keyId) ? await audit.list(wanted) : []
    const more = limit < MAX_SHOWN && entries.length > limit ? MAX_SHOWN : undefined
    const byId = new Map((await keys.list()).map((key) => [key.id, key]))
    return show(c, auditPage(entries.slice(0, limit), byId, keyId, more))
  })
  return app
}
