// The search keeps the costly requests and tries others like them.
import { expect, test } from 'vitest'
import { type Attack, blocksOf, lengthOf } from './attack.ts'
import { costlyRequests } from './costly-requests.ts'
import type { Outcome } from './send-attack.ts'

function read({ pieces }: Attack): { head: string; body: string } {
  const [head = '', body = ''] = Buffer.concat([...blocksOf(pieces)])
    .toString()
    .split('\r\n\r\n')
  return { head, body }
}

test('every request is JSON of the announced length, within the largest body', () => {
  const { at } = costlyRequests('m')
  for (let number = 0; number < 200; number += 1) {
    const attack = at({ seed: 1, connection: 0, number })
    const { head, body } = read(attack)
    expect(JSON.parse(body).model).toBe('m')
    expect(head).toMatch(new RegExp(`^Content-Length: ${Buffer.byteLength(body)}$`, 'm'))
    expect(lengthOf(attack.pieces)).toBeLessThan(8 * 1024 * 1024)
  }
})

/** The sum of the choices of the requests of a run whose answers cost what `cost` returns. */
function choicesOf(cost: (n: number) => number): number {
  const { at, learn } = costlyRequests('m')
  let sum = 0
  for (let number = 0; number < 300; number += 1) {
    const attack = at({ seed: 1, connection: 0, number })
    const { n } = JSON.parse(read(attack).body)
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
