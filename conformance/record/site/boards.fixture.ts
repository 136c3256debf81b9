// Records for tests: entries of implementations that do not exist, and arbitrary entries.
import * as fc from 'fast-check'
import { checksFor, entryOf } from '../results/complete-report.fixture.ts'
import { type Pair, type Used } from '../results/pair-entry.ts'
import { REPEAT, WORKS, pairOf } from '../results/pair.fixture.ts'
import { type Entry, type Implementation, type Kind, outcomes } from '../results/result-entry.ts'
import type { Published } from './boards.ts'

interface MadeEntry {
  readonly name: string
  readonly version?: string
  readonly kind?: Kind
  readonly profile?: Entry['profile']
  readonly date?: string
  readonly outcomes?: Entry['checks']
  readonly about?: Partial<Implementation>
  readonly entry?: Partial<Entry>
}

/** An entry in which every other check passed. */
export function madeEntry({
  name,
  version = '1.0.0',
  kind = 'server',
  profile = kind === 'server' ? 'wire' : kind,
  date = '2026-11-20',
  outcomes = {},
  about = {},
  entry = {},
}: MadeEntry): Published {
  const added = { name, version, provenance: 'reproduced' } as const
  const passed = entryOf({ kind, profile }, {}, added)
  const unknown = Object.keys(outcomes).filter((id) => passed.checks[id] === undefined)
  if (unknown.length > 0) throw new Error(`profile ${profile} has no check ${unknown.join(', ')}`)
  return {
    entry: { ...passed, date, checks: { ...passed.checks, ...outcomes }, ...entry },
    about: {
      title: name,
      home: `https://example.com/${name}`,
      description: `${name} is a ${kind} of tests.`,
      causes: {},
      failed: {},
      ...about,
    },
  }
}

const WIRE = checksFor({ kind: 'server', profile: 'wire' })

/** Text that must stay text on every page. */
export const HOSTILE = `</td></script><script>document.title='taken'</script><img src=http://127.0.0.1:9/x onerror=alert(1)>"'&amp;`

const alpha: Partial<Implementation> = {
  title: 'Alpha',
  causes: {
    'ignores-n': {
      cause: 'Alpha ignores `n` and sends one choice.',
      classification: 'defect',
      expected: '2 and 3 choices',
      received: '1',
      issues: ['https://github.com/example/alpha/issues/12'],
    },
  },
  failed: { '1.1.0-wire': { 'wire.created': 'ignores-n' }, '2.0.0-wire': { 'wire.created': 'ignores-n' } },
  replies: [
    {
      date: '2026-11-21',
      by: 'The makers of Alpha',
      text: 'We fix it.\nSoon.',
      source: 'https://example.com/reply',
    },
  ],
}

const hostile: Partial<Implementation> = {
  title: HOSTILE,
  home: `javascript:alert(1)//${HOSTILE}`,
  description: HOSTILE,
  causes: {
    hostile: {
      cause: HOSTILE,
      classification: 'debatable',
      expected: HOSTILE,
      received: HOSTILE,
      issues: ['javascript:alert(1)', `https://example.com/"onmouseover="alert(1)`],
    },
  },
  failed: { '1.0.0-wire': { 'wire.created': 'hostile' } },
  replies: [{ date: '2026-11-21', by: HOSTILE, text: HOSTILE, source: 'javascript:alert(1)' }],
}

/** Servers with history, one with hostile text, a gateway and clients; every mark, provenance and kind of staleness. */
export const madeRecord: readonly Published[] = [
  madeEntry({ name: 'alpha', version: '1.0.0', date: '2026-09-01', about: alpha }),
  madeEntry({
    name: 'alpha',
    version: '1.1.0',
    date: '2026-10-01',
    about: alpha,
    outcomes: { 'wire.created': 'fail', 'stream.done-once': 'fail', 'chat.valid-request': 'inconclusive' },
    entry: { model: 'another model' },
  }),
  madeEntry({
    name: 'alpha',
    version: '2.0.0',
    about: alpha,
    outcomes: { 'wire.created': 'fail', ...rows('TOOL', 'not-applicable'), ...rows('SDK-2', 'inconclusive') },
  }),
  madeEntry({
    name: 'hostile',
    about: hostile,
    outcomes: { 'wire.created': 'fail', ...rows('STREAM-1', 'warn') },
    entry: { provenance: 'third-party', model: HOSTILE, flags: [HOSTILE], reproduce: [HOSTILE] },
  }),
  madeEntry({ name: 'old', date: '2025-01-01', entry: { provenance: 'vendor' } }),
  madeEntry({
    name: 'alpha',
    version: '2.0.0',
    profile: 'service',
    about: alpha,
    outcomes: rows('LIMIT-1', 'inconclusive'),
  }),
  madeEntry({ name: 'between', kind: 'gateway', outcomes: rows('GATE-8', 'fail') }),
  madeEntry({ name: 'library', kind: 'client', outcomes: rows('RETRY-1', 'fail') }),
  madeEntry({ name: 'library-two', kind: 'client' }),
]

/** An outcome for the checks of the rows that begin so. */
function rows(prefix: string, outcome: Entry['checks'][string]): Entry['checks'] {
  const own = [...WIRE.values()].filter(
    ({ requirement }) => requirement === prefix || requirement.startsWith(`${prefix}-`),
  )
  return Object.fromEntries(own.map(({ id }) => [id, outcome]))
}

/** A use with a fault of this side. */
const fault = (side: 'client' | 'server', verdict: 'fails' | 'works-with-a-defect'): Used => ({
  ...WORKS,
  verdict,
  side,
  requirement: side === 'client' ? 'READ-1' : 'WIRE-1',
  text: `The ${side} breaks a rule.`,
})

const library = { name: 'library', title: 'library', version: '1.0.0' }

/** Pairs with every verdict and side, one with hostile text, and one whose server has no entry. */
export const madePairs: readonly Pair[] = [
  pairOf(
    {
      call: fault('client', 'fails'),
      image: {
        verdict: 'not-offered',
        side: 'client',
        text: 'No images.',
        documentation: 'https://example.com/images',
        repeat: REPEAT,
      },
      'rate-limit': { ...WORKS, fromProxy: true },
      reasoning: { verdict: 'not-tried', text: 'The model sends no reasoning.', repeat: REPEAT },
      stream: fault('server', 'works-with-a-defect'),
    },
    { client: library, server: { name: 'alpha', title: 'Alpha', version: '2.0.0' } },
  ),
  pairOf(
    {
      plain: {
        ...fault('server', 'fails'),
        text: HOSTILE,
        repeat: HOSTILE,
        exchange: { digest: `sha256:${'2'.repeat(64)}`, request: HOSTILE, answer: HOSTILE },
      },
    },
    { client: library, server: { name: 'hostile', title: HOSTILE, version: '1.0.0', model: HOSTILE } },
  ),
  pairOf({}, { client: { ...library, name: 'library-two', title: 'library-two' } }),
]

const VARIED = [...WIRE.keys()].filter((_, at) => at % 40 === 0)

/** Servers with one to four versions, in the order of their release, with arbitrary outcomes. */
export const anyRecord: fc.Arbitrary<readonly Published[]> = fc
  .array(
    fc.array(fc.dictionary(fc.constantFrom(...VARIED), fc.constantFrom(...outcomes)), {
      minLength: 1,
      maxLength: 4,
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((servers) =>
    servers.flatMap((versions, server) =>
      versions.map((outcomes, minor) =>
        madeEntry({ name: `server-${server}`, version: `1.${minor + 8}.0`, outcomes }),
      ),
    ),
  )
