// Pairs for tests: every use works, except for those that a test names.
import { PAIR_SCHEMA, type Pair, USE_IDS, type UseId, type Used } from './pair-entry.ts'

export const REPEAT = 'npm run pairs -- --client good-client --server good-server --only plain'

/** A use that works. */
export const WORKS: Used = {
  verdict: 'works',
  text: 'The program printed the answer.',
  exchange: {
    digest: `sha256:${'0'.repeat(64)}`,
    request: 'POST /v1/chat/completions, 120 bytes',
    answer: '200 application/json, 340 bytes',
  },
  repeat: REPEAT,
}

/** A pair with these verdicts in place of `works`. */
export function pairOf(uses: Partial<Record<UseId, Used>> = {}, members: Partial<Pair> = {}): Pair {
  return {
    schema: PAIR_SCHEMA,
    catalogue: '2',
    client: { name: 'good-client', title: 'Good client', version: '1.2.3' },
    server: { name: 'good-server', title: 'Good server', version: '4.5.6', model: 'tiny' },
    date: '2026-11-20',
    judge: '0.1.0',
    platform: { os: 'linux', arch: 'x64', cores: 2, node: '24.21.0' },
    reproduce: ['npm run pairs -- --client good-client --server good-server'],
    evidence: `sha256:${'1'.repeat(64)}`,
    seconds: 90,
    uses: { ...Object.fromEntries(USE_IDS.map((id) => [id, WORKS])), ...uses },
    ...members,
  }
}
