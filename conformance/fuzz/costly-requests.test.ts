// The search keeps the costly requests and tries others like them.
import { expect, test } from 'vitest'
import { type Attack, blocksOf, lengthOf } from './attack.ts'
import { costlyRequests } from './costly-requests.ts'
import type { Outcome } from './send-attack.ts'

const textOf = ({ pieces }: Attack): string => Buffer.concat([...blocksOf(pieces)]).toString()
const bodyOf = (attack: Attack): string => textOf(attack).split('\r\n\r\n')[1] ?? ''

test('every request is JSON of the announced length, within the largest body', () => {
  const { at } = costlyRequests('m')
  for (let number = 0; number < 200; number += 1) {
    const attack = at({ seed: 1, connection: 0, number })
    expect(JSON.parse(bodyOf(attack))).toMatchObject({ model: 'm' })
    const length = /^Content-Length: (\d+)/m.exec(textOf(attack))?.[1]
    expect(Number(length)).toBe(Buffer.byteLength(bodyOf(attack)))
    expect(lengthOf(attack.pieces)).toBeLessThan(8 * 1024 * 1024)
  }
})

/** The sum of the choices of the requests of a run whose answers cost what `cost` returns. */
function choicesOf(cost: (n: number) => number): number {
  const { at, learn } = costlyRequests('m')
  let sum = 0
  for (let number = 0; number < 300; number += 1) {
    const attack = at({ seed: 1, connection: 0, number })
    const { n } = JSON.parse(bodyOf(attack))
    sum += n
    const bytes = cost(n)
    learn?.(attack, {
      bytes,
      firstByteMs: bytes,
      ending: 'answered',
      status: 200,
      ms: 1,
      start: '',
      end: '',
    } satisfies Outcome)
  }
  return sum
}

test('requests have more choices if the answers of a service grow with them', { tags: 'slow' }, () => {
  expect(choicesOf((n) => n)).toBeGreaterThan(2 * choicesOf((n) => 1 / n))
})
