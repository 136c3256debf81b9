// Attacks on connections: each beginning with each ending, steps in any order, and bursts of many connections at once.
import * as fc from 'fast-check'
import type { Attack, ConnectionStep } from '../attack.ts'
import { type AttackSource, sampleAt } from '../attack-source.ts'
import { type Opening, openings, pipelined } from './openings.ts'
import { openFilesLimit } from './server-sockets.ts'

/** The files that are left for other attacks and for the process itself while a burst is open. */
const OTHER_FILES = 512

/** Assumed where the system does not report the number of files that a process may open. */
const ASSUMED_FILES_LIMIT = 1024

/** One in this number of the attacks of the first connection is a burst; other connections make none, so bursts do not overlap. */
const BURST_EVERY = 8

/** The most steps in any order, and the most requests before an opening. */
const MOST_STEPS = 8
const MOST_PIPELINED = 20

/** The openings after which a connection may stay open if a valid request was before them. */
const NOT_PIPELINED = new Set(['idle', 'bytes'])

/** The openings of a burst, which are small. */
const BURST_OPENINGS = new Set([
  'idle',
  'half head',
  'half body',
  'half chunk',
  'connect',
  'request',
  'unread chat',
])

interface Close {
  readonly steps: readonly ConnectionStep[]
  /** Whether the client still receives the answers that it is owed. */
  readonly keepsOwed: boolean
}

const moment = fc.integer({ min: 1, max: 1_500 })

/** Short, so that the client reads on before the server gives up on it. */
const stall = fc.integer({ min: 1, max: 300 })

const keeping = (...steps: readonly ConnectionStep[]): Close => ({ steps, keepsOwed: true })
const losing = (...steps: readonly ConnectionStep[]): Close => ({ steps, keepsOwed: false })
const bytesAfter: ConnectionStep = {
  write: [{ text: 'x', times: 100_000 }],
  pace: { bytes: 1, everyMs: 50 },
}

/** The ends of an attack: the client closes nothing, or some of it at some time. */
const close: fc.Arbitrary<Close> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(keeping()) },
  moment.map((waitMs) => keeping({ waitMs })),
  moment.map((waitMs) => losing({ waitMs }, bytesAfter)),
  fc.constant(keeping({ until: 'answer' }, { do: 'end' })),
  fc.constant(keeping({ until: 'answer' }, { do: 'reset' })),
  fc.constant(keeping({ until: 'end' }, { write: [{ text: 'x' }] })),
  fc.constant(keeping({ until: 'end' }, bytesAfter)),
  stall.map((waitMs) => keeping({ do: 'stop reading' }, { waitMs }, { do: 'read on' })),
  fc.constant(losing({ do: 'stop reading' })),
  fc.constant(losing({ until: 'byte' }, { do: 'reset' })),
  fc
    .tuple(moment, fc.constantFrom<'end' | 'close' | 'reset'>('end', 'close', 'reset'))
    .map(([waitMs, how]) => losing({ waitMs }, { do: how })),
  fc.constantFrom<'end' | 'close' | 'reset'>('end', 'close', 'reset').map((how) => losing({ do: how })),
)

function attackOf(kind: string, opening: Opening, { steps, keepsOwed }: Close): Attack {
  const { owed = 0, steps: begun = [] } = opening
  return { kind, ...opening, owed: keepsOwed ? owed : 0, steps: [...begun, ...steps] }
}

/** Attacks on the connections of a service. `burst` is the number of connections that are opened at once. */
export function connectionAttacks(model: string, burst: number): AttackSource {
  const kinds = openings(model)
  const copies = Math.min(burst, Math.max(1, (openFilesLimit() ?? ASSUMED_FILES_LIMIT) - OTHER_FILES))
  const count = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: MOST_PIPELINED }))
  const of = ([kind, opening]: readonly [string, fc.Arbitrary<Opening>]): fc.Arbitrary<Attack> =>
    fc
      .tuple(opening, close, NOT_PIPELINED.has(kind) ? fc.constant(0) : count)
      .map(([begun, closed, before]) =>
        attackOf(kind, before === 0 ? begun : pipelined(begun, before), closed),
      )
  const attack = fc.oneof(...Object.entries(kinds).map(of), anySteps(kinds))
  const small = Object.entries(kinds).filter(([kind]) => BURST_OPENINGS.has(kind))
  const burstAttack = fc
    .tuple(fc.oneof(...small.map(([, opening]) => opening)), close)
    .map(([begun, closed]) => attackOf('burst', { ...begun, owed: 0, copies }, closed))
  return {
    at: (place) =>
      sampleAt(place.connection === 0 && place.number % BURST_EVERY === 1 ? burstAttack : attack, place),
  }
}

/** Steps in any order. Each write is the beginning of an opening, whose requests do not keep their connection. */
function anySteps(kinds: Readonly<Record<string, fc.Arbitrary<Opening>>>): fc.Arbitrary<Attack> {
  const write = fc.oneof(...Object.values(kinds)).map(({ pieces }): ConnectionStep => ({ write: pieces }))
  const step = fc.oneof<fc.Arbitrary<ConnectionStep>[]>(
    write,
    moment.map((waitMs) => ({ waitMs })),
    fc.constantFrom<ConnectionStep>({ until: 'byte' }, { until: 'answer' }, { until: 'end' }),
    fc.constantFrom<ConnectionStep>({ do: 'end' }, { do: 'stop reading' }, { do: 'read on' }),
    fc.constantFrom<ConnectionStep>({ do: 'close' }, { do: 'reset' }),
  )
  return fc.array(step, { maxLength: MOST_STEPS }).map((steps) => ({ kind: 'any steps', pieces: [], steps }))
}
