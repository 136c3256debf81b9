// Tests of archives with one fault: the row that it breaks fails, in the entry that has it, and no other row does.
import { beforeAll, describe, expect, test } from 'vitest'
import { type Entry, judgeEntries, liveArchive } from './live-archive.fixture.ts'

/** A fault: the row that it breaks, the check that sees it, and its change of an entry, undefined if the entry cannot have it. */
export interface ArchiveFault {
  readonly name: string
  readonly requirement: string
  readonly check: string
  /** Rows that it breaks beside its own. */
  readonly also?: readonly string[]
  change(entry: Entry, key: string): Entry | undefined
}

/** A fault of the entries to which it applies. */
export function faultOf(
  name: string,
  requirement: string,
  check: string,
  applies: (entry: Entry) => boolean,
  change: (entry: Entry) => Entry,
  also: readonly string[] = [],
): ArchiveFault {
  return { name, requirement, check, also, change: (entry) => (applies(entry) ? change(entry) : undefined) }
}

/** Defines the tests of these faults, on a session with a reference server. */
export function testFaults(faults: readonly ArchiveFault[]): void {
  let live: Awaited<ReturnType<typeof liveArchive>>
  beforeAll(async () => {
    live = await liveArchive()
  })

  describe.each(faults)('$name fails $requirement', ({ change, check, requirement, also = [] }) => {
    /** Judges the archive with the fault in one entry after the other, and expects its row alone to fail, there. */
    async function expectRed(wanted: (count: number) => (place: number) => boolean): Promise<void> {
      const places = live.entries.flatMap((entry, place) => {
        const faulty = change(entry, live.key)
        return faulty === undefined ? [] : [{ place, faulty }]
      })
      expect(places).not.toEqual([])
      const isWanted = wanted(places.length)
      for (const { place, faulty } of places.filter((_, index) => isWanted(index))) {
        const report = await judgeEntries(live.entries.with(place, faulty))
        const found = report.checks.find(({ id }) => id === check)
        expect([place, found?.outcome, found?.requirement, found?.place]).toEqual([
          place,
          'fail',
          requirement,
          `entry ${place + 1}`,
        ])
        const others = report.checks.filter(
          ({ outcome, requirement: row }) => outcome === 'fail' && row !== requirement,
        )
        expect(others.map(({ requirement: row }) => row).filter((row) => !also.includes(row))).toEqual([])
        expect(report.exitCode).toBe(1)
      }
    }
    test('in the first and the last entry that shows it', async () =>
      expectRed((count) => (index) => index === 0 || index === count - 1))
    test('in each entry that shows it', { tags: 'slow' }, async () => expectRed(() => () => true))
  })
}
