// The rotation of one key to another. A `Refresh` header reloads the page as often as the operator chose.
import { Hono } from 'hono'
import type { ApiKey } from '../../keys/key-store.ts'
import type { Dashboard } from './dashboard.ts'
import { judgeRotation, readRotationQuery, type RotationQuery } from '../data/rotation.ts'
import { rotationPage, type RotationSide, type RotationSides } from '../pages/rotation-page.ts'
import { minuteOf, series } from '../data/traffic.ts'

export function rotationRoutes({ storage, guard, usageDelayMs, now }: Dashboard): Hono {
  const { keys, usage } = storage
  const app = new Hono()

  app.get(
    '/rotation',
    guard.page(async (c, csrf) => {
      const query = readRotationQuery(new URL(c.req.url).searchParams)
      const { oldId, freshId } = query
      const all = await keys.list()
      const old = all.find((key) => key.id === oldId)
      const fresh = all.find((key) => key.id === freshId)
      const time = now()
      const problem = problemOf(query, old, fresh)
      const shown =
        problem === undefined && old !== undefined && fresh !== undefined
          ? await sidesOf(old, fresh, query, time)
          : undefined
      if (shown !== undefined && query.refresh > 0) c.header('Refresh', String(query.refresh))
      // A chosen key that was revoked in the meantime stays selectable.
      const choices = all.filter((key) => key.revokedAt === null || key === old || key === fresh)
      return c.html(rotationPage({ csrf, query, keys: choices, shown, problem, now: time }))
    }),
  )

  async function sidesOf(
    old: ApiKey,
    fresh: ApiKey,
    query: RotationQuery,
    time: number,
  ): Promise<RotationSides> {
    const from = minuteOf(time) - query.range + 1
    const lastUsed = await usage.lastUsed()
    const sideOf = async (key: ApiKey): Promise<RotationSide> => ({
      key,
      usedAt: lastUsed.get(key.id),
      minutes: series(await usage.since(from, key.id), { from, minutes: 1, spans: query.range }),
    })
    const sides = { old: await sideOf(old), fresh: await sideOf(fresh) }
    const verdict = judgeRotation({
      old,
      fresh,
      oldUsedAt: sides.old.usedAt,
      freshUsedAt: sides.fresh.usedAt,
      silence: query.silence,
      delayMs: usageDelayMs,
      now: time,
    })
    return { ...sides, verdict, from }
  }

  return app
}

function problemOf(
  { oldId, freshId }: RotationQuery,
  old: ApiKey | undefined,
  fresh: ApiKey | undefined,
): string | undefined {
  if ((oldId !== '' && old === undefined) || (freshId !== '' && fresh === undefined))
    return 'Key: no key has this id.'
  return oldId !== '' && oldId === freshId ? 'Choose two different keys.' : undefined
}
