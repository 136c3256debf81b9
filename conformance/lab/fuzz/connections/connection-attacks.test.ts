// Attacks on connections are the same for the same place, are data, and are few enough for the process.
import { expect, test } from 'vitest'
import { fc, forAll } from '../../../../spec/property.fixture.ts'
import { type Attack, attackSchema, blocksOf } from '../attack.ts'
import { connectionAttacks } from './connection-attacks.ts'
import { openings } from './openings.ts'

const { at } = connectionAttacks('m', 100)
const places = fc.record({ seed: fc.nat(), connection: fc.nat(20), number: fc.nat(200) })

test('an attack is the same from its file as from its place', () => {
  forAll(places, (place) => {
    const attack = at(place)
    expect(connectionAttacks('m', 100).at(place)).toEqual(attack)
    expect(attackSchema.parse(JSON.parse(JSON.stringify(attack)))).toEqual(attack)
  })
})

test('every kind and every step comes', () => {
  const attacks = Array.from({ length: 1_500 }, (_, number) => at({ seed: 1, connection: 0, number }))
  const kinds = new Set(attacks.map(({ kind }) => kind))
  expect([...kinds].toSorted()).toEqual([...Object.keys(openings('m')), 'any steps', 'burst'].toSorted())
  const steps = attacks.flatMap(({ steps: all = [] }) => all)
  const names = steps.map((step) =>
    'do' in step ? step.do : 'until' in step ? `until ${step.until}` : Object.keys(step)[0],
  )
  expect(new Set(names)).toEqual(
    new Set('write,waitMs,until byte,until answer,until end,end,close,reset,stop reading,read on'.split(',')),
  )
})

test('only the first connection has bursts, of no more connections than requested', () => {
  forAll(places, (place) => {
    const { kind, copies } = at(place)
    expect([kind === 'burst', copies]).toEqual(
      place.connection === 0 && copies === 100 ? [true, 100] : [false, undefined],
    )
  })
})

/** The head of the last request. */
const lastHead = ({ pieces }: Attack): string =>
  Buffer.concat([...blocksOf(pieces)])
    .toString('latin1')
    .split('\r\n\r\n')
    .at(-2) ?? ''

test('an answer is owed only to a whole request or a refused one, and the last request closes its connection', () => {
  forAll(places, (place) => {
    const attack = at(place)
    const { kind, owed = 0 } = attack
    if (['chat', 'stream', 'request', 'websocket', 'h2c'].includes(kind))
      expect(lastHead(attack)).toMatch(/^Connection: (Upgrade, )?close$/m)
    if (['idle', 'bytes', 'burst', 'any steps'].includes(kind)) expect(owed).toBe(0)
  })
})
