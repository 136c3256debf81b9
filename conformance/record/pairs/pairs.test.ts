// Each use of a client with a server has the right verdict, and a fault lands on the side that has it.
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { commandStarter } from '../../../harness/judged-program.ts'
import { startServerWithKey } from '../../../harness/reference-server.fixture.ts'
import { temporaryFolder } from '../../../harness/temporary-folder.fixture.ts'
import { startFaultyServers } from '../../lab/mutants/faulty-servers.ts'
import { programEnvironment } from '../../contract/environment/program-environment.ts'
import { loadPair } from '../../subjects/index.ts'
import { checkPair } from '../results/check/check-pair.ts'
import { type Pair, USE_IDS, type UseId, type Used } from '../results/pair-entry.ts'
import { createEvidence } from './evidence.ts'
import type { ClientFault } from '../../subjects/client/pair/pair-client.fixture.ts'
import { makePair } from './make-pair.ts'

const SERVER_FAULTS = [
  'tools-cuts-arguments',
  'tools-repeats-call-ids',
  'stream-is-never-done',
  'stream-goes-on-when-finished',
  'wire-refuses-its-thoughts',
] as const

const program = join(import.meta.dirname, '../../subjects/client/pair/pair-client.fixture.ts')
const now = new Date('2026-11-24T12:00:00Z')
const { signal } = new AbortController()

let server: Awaited<ReturnType<typeof startServerWithKey>>
let faulty: Awaited<ReturnType<typeof startFaultyServers>>
beforeAll(async () => {
  server = await startServerWithKey()
  faulty = await startFaultyServers(SERVER_FAULTS, server.baseUrl, server.key, signal)
})
afterAll(async () => {
  await faulty.stop()
  await server[Symbol.asyncDispose]()
})

interface Tried {
  readonly uses: readonly UseId[]
  readonly fault?: ClientFault
  readonly serverFault?: (typeof SERVER_FAULTS)[number]
  readonly notOffered?: Record<string, string>
}

async function tryPair({ uses, fault, serverFault, notOffered = {} }: Tried): Promise<Pair> {
  const baseUrl = `${(serverFault && faulty.urls.get(serverFault)) ?? server.baseUrl}/v1`
  const { key } = server
  const pair = await loadPair()
  const selected = pair.uses.filter(({ name }) => uses.includes(name) && notOffered[name] === undefined)
  const tried = await pair.tryUses(selected, {
    start: commandStarter([process.execPath, program, fault ?? ''], programEnvironment(process.env)),
    server: { baseUrl, key, model: 'svc-0.1-echo' },
    seed: 7,
    concurrency: 4,
    timeoutMs: 30_000,
    signal,
  })
  return makePair({
    client: { name: 'test-client', title: 'Test client', version: '1.0.0' },
    server: { name: 'touchstone', title: 'Touchstone', version: '0.1.0' },
    uses,
    tried,
    notOffered,
    evidence: createEvidence(join(temporaryFolder(), 'evidence.jsonl'), baseUrl, [key]),
    repeat: (use) =>
      `npm run pairs -- --client test-client --server touchstone${use === undefined ? '' : ` --only ${use}`}`,
    before: [],
    judge: '0.1.0',
    seconds: 1,
    now,
  })
}

/** The verdict on one use. */
async function verdictOn(use: UseId, tried: Omit<Tried, 'uses'>): Promise<Partial<Used> | undefined> {
  const { uses } = await tryPair({ uses: [use], ...tried })
  return uses[use]
}

test(
  'a client that keeps the rules works with the reference server in each use that it offers',
  { timeout: 60_000 },
  async () => {
    const pair = await tryPair({ uses: USE_IDS })
    const others: Readonly<Partial<Record<UseId, string>>> = {
      reasoning: 'not-tried',
      'reasoning-sent-back': 'not-tried',
      image: 'not-offered',
    }
    const verdicts = USE_IDS.map((id) => [id, pair.uses[id]?.verdict, pair.uses[id]?.text])
    expect(verdicts).toEqual(USE_IDS.map((id) => [id, others[id] ?? 'works', expect.any(String)]))
    expect(checkPair(pair, now)).toEqual([])
    expect(JSON.stringify(pair)).not.toContain(server.key)
  },
)

test.each<[ClientFault, UseId, Partial<Used>]>([
  ['cuts-text', 'plain', { verdict: 'fails', side: 'client', requirement: 'READ-13' }],
  ['cuts-text', 'stream', { verdict: 'fails', side: 'client', requirement: 'READ-5' }],
  ['loses-calls', 'call', { verdict: 'fails', side: 'client', requirement: 'READ-9' }],
  ['takes-refusals', 'wrong-key', { verdict: 'fails', side: 'client', requirement: 'READ-1' }],
  [
    'retries-at-once',
    'rate-limit',
    { verdict: 'works-with-a-defect', side: 'client', requirement: 'RETRY-3', fromProxy: true },
  ],
  ['drops-format', 'structured-strict', { verdict: 'fails', side: 'client' }],
  [
    'goes-on-when-stopped',
    'abort',
    { verdict: 'fails', side: 'client', requirement: 'READ-11', fromProxy: true },
  ],
  ['sends-no-results', 'conversation', { verdict: 'fails', side: 'client' }],
  ['hides-usage', 'stream-usage', { verdict: 'fails', side: 'client', requirement: 'READ-6' }],
  ['sends-one', 'ten-at-once', { verdict: 'fails', side: 'client' }],
])('a client that %s: %s fails by the client', { timeout: 30_000 }, async (fault, use, expected) => {
  expect(await verdictOn(use, { fault })).toMatchObject(expected)
})

test.each<[(typeof SERVER_FAULTS)[number], UseId, Partial<Used>]>([
  ['tools-cuts-arguments', 'conversation', { verdict: 'fails', side: 'server', requirement: 'TOOL-1' }],
  [
    'tools-repeats-call-ids',
    'parallel-calls',
    { verdict: 'works-with-a-defect', side: 'server', requirement: 'TOOL-1' },
  ],
  [
    'stream-is-never-done',
    'stream',
    { verdict: 'works-with-a-defect', side: 'server', requirement: 'STREAM-2' },
  ],
])(
  'a server that has the fault %s: %s shows it by the server',
  { timeout: 30_000 },
  async (serverFault, use, expected) => {
    expect(await verdictOn(use, { serverFault })).toMatchObject(expected)
  },
)

test('a finish reason that is replaced after the end is a fault of the server that goes on', async () => {
  const tried = { fault: 'takes-the-last-finish', serverFault: 'stream-goes-on-when-finished' } as const
  expect(await verdictOn('stream', tried)).toMatchObject({
    verdict: 'works-with-a-defect',
    side: 'server',
    requirement: 'STREAM-5',
  })
})

test.each<[ClientFault | undefined, UseId, Partial<Used>]>([
  [undefined, 'reasoning', { verdict: 'works' }],
  [
    'hides-reasoning',
    'reasoning',
    {
      verdict: 'fails',
      side: 'client',
      text: 'The program does not show the reasoning, which the server sent as `reasoning_content`.',
    },
  ],
  [undefined, 'reasoning-sent-back', { verdict: 'fails', side: 'server' }],
  ['forgets-reasoning', 'reasoning-sent-back', { verdict: 'fails', side: 'client', requirement: 'CALL-6' }],
])(
  'a client with the fault %s and a server that sends its reasoning and refuses it: the verdict on %s',
  { timeout: 30_000 },
  async (fault, use, expected) => {
    const serverFault = 'wire-refuses-its-thoughts'
    expect(
      await verdictOn(use, fault === undefined ? { serverFault } : { fault, serverFault }),
    ).toMatchObject(expected)
  },
)

test('a use that the documentation excludes is not tried', async () => {
  const page = 'https://docs.example.com/images'
  const { uses } = await tryPair({ uses: ['plain', 'image'], notOffered: { image: page } })
  expect(uses.image).toMatchObject({ verdict: 'not-offered', side: 'client', documentation: page })
  expect(uses.image).not.toHaveProperty('exchange')
})

test('a program that sends no request at all gives no evidence about a server', async () => {
  await expect(tryPair({ uses: ['plain'], fault: 'does-nothing' })).rejects.toThrow(
    'the program sent no request',
  )
})
