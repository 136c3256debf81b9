// One loop judges mutants of every kind: those about which the judge was wrong once more, after the others.
import { expect, test } from 'vitest'
import { readOptions } from '../../cli/judge-options.ts'
import { judgeMutants, type MutantKind } from './judge-mutants.ts'
import { NOTHING_PINNED, renderKillTable, withRuns } from './kill-table.ts'
import type { Mutant } from './mutant.ts'
import { sampleOf } from './sample.ts'

const mutants = Array.from({ length: 5 }, (_, place): Mutant => {
  const id = `auth-fault-${place}`
  return {
    kind: 'fault',
    id,
    description: '',
    requirement: 'AUTH-4',
    alsoBreaks: [],
    alone: false,
    flags: [],
  }
})

/** Judges the mutants in pools of two; `outcome` is that of their one check. */
async function judge(outcome: (id: string, isAgain: boolean) => 'fail' | 'pass') {
  const events: string[] = []
  const kind: MutantKind = {
    noun: 'server',
    together: 2,
    async start(started) {
      events.push(`start ${started.length}`)
      return {
        covered: new Set(['AUTH-4']),
        async judge({ id }, isAgain) {
          events.push(isAgain ? `again ${id}` : id)
          const check = { id: 'auth.check', requirement: 'AUTH-4', level: 'MUST' } as const
          return { checks: [{ ...check, outcome: outcome(id, isAgain) }] }
        },
        async [Symbol.asyncDispose]() {
          events.push('stop')
        },
      }
    },
  }
  const pinned = { servers: { 'auth-fault-0': ['auth.check'] }, clients: {}, gateways: {} }
  const options = readOptions(['mutants'], {})
  const verdicts = await judgeMutants(kind, {
    mutants,
    seed: 1,
    options,
    readFlags: () => options,
    signal: new AbortController().signal,
    pinned,
  })
  return { events, verdicts }
}

test('every pool is stopped, and the verdicts have the order of the mutants', async () => {
  const { events, verdicts } = await judge(() => 'fail')
  expect(verdicts.map(({ mutant, outcome }) => [mutant, outcome])).toEqual(
    mutants.map((one) => [one, 'caught']),
  )
  expect(events.filter((event) => event.startsWith('st'))).toEqual([
    'start 2',
    'stop',
    'start 2',
    'stop',
    'start 1',
    'stop',
  ])
  expect(events).toHaveLength(mutants.length + 6)
})

test.each([
  { second: 'fail', outcome: 'caught', lost: [] },
  { second: 'pass', outcome: 'missed', lost: ['auth.check'] },
] as const)(
  'a second try that is a $second decides, and names the first',
  async ({ second, outcome, lost }) => {
    const { events, verdicts } = await judge((id, isAgain) =>
      id !== 'auth-fault-0' || (isAgain && second === 'fail') ? 'fail' : 'pass',
    )
    expect(verdicts[0]).toMatchObject({ outcome, lost, note: 'missed at the first try auth.check' })
    expect(events.filter((event) => event.startsWith('again'))).toEqual(['again auth-fault-0'])
    expect(events.indexOf('again auth-fault-0')).toBe(events.indexOf('stop') - 1)
  },
)

test('a seed draws the same mutants, whatever stands beside them', () => {
  const drawn = sampleOf(mutants, 2, 7).map(({ id }) => id)
  const again = sampleOf(mutants.toReversed(), 2, 7).map(({ id }) => id)
  expect(again.toSorted()).toEqual(drawn)
  expect(
    new Set(
      [1, 2, 3, 4, 5].map((seed) =>
        sampleOf(mutants, 2, seed)
          .map(({ id }) => id)
          .join(),
      ),
    ).size,
  ).toBeGreaterThan(1)
})

test('the kill table keeps the checks that are decisive in every run, and drops mutants that do not exist', async () => {
  const [all, some] = [
    await judge(() => 'fail'),
    await judge((id) => (id === 'auth-fault-1' ? 'pass' : 'fail')),
  ]
  const table = withRuns(NOTHING_PINNED, 'servers', [all.verdicts, some.verdicts])
  expect(JSON.parse(renderKillTable(table, (id) => id !== 'auth-fault-4'))).toEqual({
    servers: Object.fromEntries([0, 2, 3].map((place) => [`auth-fault-${place}`, 'auth.check'])),
    clients: {},
    gateways: {},
  })
})
