import { describe, expect, test } from 'vitest'
import { fc, forAll } from '../../../spec/property.fixture.ts'
import { apiKey } from '../dashboard.fixture.ts'
import { judgeRotation, readRotationQuery, type Rotation, rotationAddress, SILENCES } from './key-rotation.ts'

const MINUTE = 60_000

const silent: Rotation = {
  old: { key: apiKey('old'), usedAt: 100 * MINUTE },
  fresh: { key: apiKey('fresh'), usedAt: 114 * MINUTE },
  silence: 15,
  delayMs: 1000,
  now: 115 * MINUTE + 1000,
}

describe('an old key is safe to revoke (KEY-8)', () => {
  test('as soon as it was silent for the chosen time', () => {
    expect(judgeRotation(silent)).toEqual({ kind: 'safe', silentSince: 100 * MINUTE })
    expect(judgeRotation({ ...silent, now: 115 * MINUTE + 999 })).toEqual({
      kind: 'in use',
      silentSince: 100 * MINUTE,
      safeAt: 115 * MINUTE + 1000,
    })
  })

  test('never within the chosen time after its last request, nor while the new key is unused or revoked', () => {
    const time = fc.integer({ min: 0, max: 3 * 1440 * MINUTE })
    forAll(
      fc.record({
        oldUsedAt: fc.option(time, { nil: undefined }),
        freshUsedAt: fc.option(time, { nil: undefined }),
        createdAt: time,
        silence: fc.constantFrom(...Object.keys(SILENCES).map(Number)),
        delayMs: fc.nat({ max: 60_000 }),
        now: time,
        revoked: fc.boolean(),
      }),
      ({ oldUsedAt, freshUsedAt, createdAt, silence, delayMs, now, revoked }) => {
        const { kind } = judgeRotation({
          old: { key: apiKey('old', { createdAt: new Date(createdAt) }), usedAt: oldUsedAt },
          fresh: { key: apiKey('fresh', { revokedAt: revoked ? new Date(0) : null }), usedAt: freshUsedAt },
          silence,
          delayMs,
          now,
        })
        const isSilent = now - (oldUsedAt ?? createdAt) >= silence * MINUTE + delayMs
        expect(kind === 'safe').toBe(isSilent && freshUsedAt !== undefined && !revoked)
      },
    )
  })

  test('is not reported for a revoked key', () => {
    const key = apiKey('old', { revokedAt: new Date(1) })
    expect(judgeRotation({ ...silent, old: { ...silent.old, key } })).toEqual({ kind: 'revoked' })
  })
})

test('the address of a view is parsed back to the same view', () => {
  const query = { old: 'key_1', new: 'key_2', silence: 1440, range: 60, refresh: 0 }
  const { searchParams } = new URL(rotationAddress(query), 'http://dashboard.test')
  expect(readRotationQuery(searchParams)).toEqual(query)
})

test.each(['', 'silence=2&range=0&refresh=1', 'silence=constructor&range=&refresh=-10'])(
  'invalid values in an address get defaults: %j',
  (text) => {
    const defaults = { old: '', new: '', silence: 15, range: 30, refresh: 30 }
    expect(readRotationQuery(new URLSearchParams(text))).toEqual(defaults)
  },
)
