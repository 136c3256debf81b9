// Attacks are the same for the same place, small as data, and fit into what a server has to read.
import { expect, test } from 'vitest'
import { blocksOf, type Attack, KEY_PLACE, lengthOf } from './attack.ts'
import { attacksOn } from './attacks.ts'

const { at: attackAt } = attacksOn('svc-0.1-echo')
const attacks: readonly Attack[] = Array.from({ length: 300 }, (_, number) =>
  attackAt({ seed: 1, connection: 2, number }),
)

test('the same place gives the same attack, another one another', () => {
  const { at: again } = attacksOn('svc-0.1-echo')
  for (const number of [0, 1, 99]) {
    const place = { seed: 1, connection: 2, number }
    expect(again(place)).toEqual(attacks[number])
    expect(again({ ...place, connection: 3 })).not.toEqual(attacks[number])
    expect(again({ ...place, seed: 2 })).not.toEqual(attacks[number])
  }
})

test('all kinds come, with large bodies among them', () => {
  const kinds = new Set(attacks.map(({ kind }) => kind))
  for (const kind of ['schema', 'tools', 'n', 'messages', 'slow body', 'slow reader', 'leaves', 'no HTTP'])
    expect(kinds).toContain(kind)
  expect(Math.max(...attacks.map(({ pieces }) => lengthOf(pieces)))).toBeGreaterThan(2 * 1024 * 1024)
})

test('blocks are as long as was said, and the length of a body is that of its head', () => {
  for (const { kind, pieces } of attacks) {
    let length = 0
    for (const block of blocksOf(pieces)) length += block.length
    expect([kind, length]).toEqual([kind, lengthOf(pieces)])
    expect(length).toBeLessThan(5 * 1024 * 1024)
  }
  const plain = attacks.find(({ kind }) => kind === 'schema')
  const text = Buffer.concat([...blocksOf(plain?.pieces ?? [])]).toString('latin1')
  const [head = '', body = ''] = text.split('\r\n\r\n')
  expect(head).toContain(`Content-Length: ${body.length}`)
  expect(head).toContain(KEY_PLACE)
})

test('numbered pieces count', () => {
  const blocks = [...blocksOf([{ text: '{n},', times: 12, numbered: true }])]
  expect(Buffer.concat(blocks).toString()).toBe('0,1,2,3,4,5,6,7,8,9,10,11,')
})
