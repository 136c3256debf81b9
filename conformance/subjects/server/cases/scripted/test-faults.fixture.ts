// The tests that every section has: each fault turns red the rows that it breaks and no others, each odd server stays
// green.
import { beforeAll, describe, expect, it } from 'vitest'
import type { RequirementId } from '../../../../../spec/catalogue/requirements.ts'
import { faults } from '../../../../../fixtures/faulty/faults.ts'
import { oddities } from '../../../../../fixtures/faulty/oddities.ts'
import type { Case } from '../../case.ts'
import type { JudgeOptions, Verdict } from './judge-fault.fixture.ts'
import { failed, faultOf, judgeFault, redRows } from './judge-fault.fixture.ts'
import { testSampled } from '../../../../../fixtures/sampled.fixture.ts'

/** The subject of a test: the cases of a section, with the options of their runs. */
export interface Section extends JudgeOptions {
  readonly cases: readonly Case[]
  /** The rows whose faults and oddities are tested; by default those of all cases and observers. */
  readonly rows?: readonly RequirementId[]
  /**
   * Selects the cases that judge a server, if each server by all of them takes too long. `rows` are those that a fault may
   * break or an oddity tolerates, `check` is the one that a fault must fail.
   */
  readonly selects?: (definition: Case, rows: readonly RequirementId[], check?: string) => boolean
}

/** A check that must fail, and all rows of the section that must turn red. */
type Expected = readonly [check: string, ...rows: RequirementId[]]

const nameOf = ([id]: readonly [string, unknown]): string => id

function rowsOf({ cases, observers = [], rows }: Section): ReadonlySet<RequirementId> {
  return new Set(rows ?? [...cases, ...observers].map(({ requirement }) => requirement))
}

function casesFor({ cases, selects = () => true }: Section, rows: readonly RequirementId[], check?: string) {
  return cases.filter((definition) => selects(definition, rows, check))
}

/** `npm test` judges one server in so many of each section, and `npm run test:all` all of them. */
const SAMPLE = 12

function testEach<Server>(
  servers: readonly Server[],
  nameOf: (server: Server) => string,
  judge: (server: Server) => Promise<void>,
): void {
  const named = servers.map((server): [string, Server] => [nameOf(server), server])
  testSampled(named, SAMPLE, '%s', (_, server) => judge(server))
}

/** Tests these faults by their ids, and that they include all hand-written faults of the section's rows. */
export function testFaults(section: Section, expected: Readonly<Record<string, Expected>>): void {
  describe('turns red exactly the rows that a fault breaks', () => {
    testEach(Object.entries(expected), nameOf, async ([id, [check, ...rows]]) => {
      const { requirement, alsoBreaks = [], alone } = faultOf(id)
      expect([requirement, ...alsoBreaks]).toEqual(expect.arrayContaining(rows))
      const cases = casesFor(section, [requirement, ...alsoBreaks], check).filter(
        (one) => alone !== true || one.requirement === requirement,
      )
      const verdicts = await judgeFault(id, cases, section)
      expect(redRows(verdicts)).toEqual(rows)
      expect(failed(verdicts)).toContain(check)
      expect(verdicts.filter(({ outcome }) => outcome === 'error')).toEqual([])
    })
  })
  testThatAllAreNamed(section, expected)
}

/** Tests the checks that these faults or oddities fail: exactly these, and none at an oddity. */
export function testChecks(section: Section, expected: Readonly<Record<string, readonly string[]>>): void {
  describe('fails exactly the checks that a fault breaks', () => {
    testEach(Object.entries(expected), nameOf, async ([id, checks]) => {
      expect(failed(await judgeFault(id, section.cases, section))).toEqual(checks)
    })
  })
}

/** Tests that the ids include all hand-written faults of the section's rows. */
export function testThatAllAreNamed(section: Section, expected: Readonly<Record<string, unknown>>): void {
  it('names every hand-written fault of its rows', () => {
    const rows = rowsOf(section)
    const ids = faults.filter(({ requirement }) => rows.has(requirement)).map(({ id }) => id)
    expect(ids.filter((id) => !(id in expected))).toEqual([])
  })
}

/**
 * Tests every odd server that uses a tolerance of the section's rows: the checks that pass at the right service pass
 * there too, apart from those that are not judged at it, the SHOULD rows that it leaves unmet, and the checks that need
 * a key if it requires none.
 */
export function testOddities(section: Section, notJudged: Readonly<Record<string, RegExp>> = {}): void {
  const rows = rowsOf(section)
  const odd = oddities.filter(({ tolerances }) => tolerances.some((row) => rows.has(row)))
  const asked = [...new Set([...odd.map(({ id }) => id), ...Object.keys(notJudged)])]
  describe('stays green at a server that is odd and right', () => {
    let right: readonly Verdict[]
    beforeAll(async () => {
      right = await judgeFault('odd-proxy', section.cases, section)
    })

    testEach(asked, String, async (id) => {
      const { leavesUnmet = [], keyless, tolerances = [] } = oddities.find((one) => one.id === id) ?? {}
      const verdicts = await judgeFault(id, casesFor(section, tolerances), section)
      const passed = new Set(right.filter(({ outcome }) => outcome === 'pass').map((verdict) => verdict.id))
      const isAllowed = ({ id: check, requirement, outcome }: Verdict): boolean =>
        outcome === 'pass' ||
        leavesUnmet.includes(requirement) ||
        (keyless === true && outcome === 'inconclusive') ||
        (outcome === 'not-applicable' && !passed.has(check)) ||
        (outcome !== 'fail' && notJudged[id]?.test(check) === true)
      const other = verdicts.filter((verdict) => !isAllowed(verdict))
      expect(other).toEqual([])
    })
  })
}
