// With k6: honest limiters pass, each fault turns its own assertion red, and several processes reach the verdict of one.
// Needs k6 and a machine that is not too busy; an invalid run is repeated.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, it } from 'vitest'
import type { LimiterFaultId } from '../../fixtures/limiters/limiter-faults.ts'
import { runProgram } from '../../fixtures/run-program.fixture.ts'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'
import type { LoadVerdict } from '../judges/load-verdict.ts'

const root = join(import.meta.dirname, '..', '..')
const folder = temporaryFolder()

/** A busy machine makes a run invalid now and then. */
const ATTEMPTS = 4
const TIMEOUT_MS = 240_000

let runs = 0

/** Runs the command until the run is valid, at most `attempts` times. Returns its verdict and its exit code. */
async function loadtest(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  attempts = ATTEMPTS,
) {
  for (let attempt = 1; ; attempt++) {
    const json = join(folder, `verdict-${(runs += 1)}.json`)
    const html = json.replace(/json$/, 'html')
    const flags = ['loadtest/cli.ts', ...args, '--json', json, '--html', html]
    const { code, stderr } = await runProgram(flags, { ...process.env, ...env })
    if (code === 3 && attempt < attempts) continue
    if (code === 2) throw new Error(stderr)
    const verdict: LoadVerdict = JSON.parse(readFileSync(json, 'utf8'))
    const red = verdict.assertions.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id)
    return { code, verdict, red, html: readFileSync(html, 'utf8') }
  }
}

/** Runs it against a service with this limiter. */
async function againstLimiter(
  scenario: string,
  limit: string,
  fault: LimiterFaultId,
  algorithm = 'anchored-window',
) {
  const args = [
    'fixtures/limiters/serve-limiter.ts',
    '--limit',
    limit,
    '--fault',
    fault,
    '--algorithm',
    algorithm,
  ]
  const service = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [url] = await once(createInterface(service.stdout), 'line')
    const keys = Array.from({ length: 6 }, (_, index) => `svc_sk_of_a_test_${index}`).join(',')
    return await loadtest([scenario, '--base-url', String(url), '--limit', limit], { LOADTEST_KEYS: keys })
  } finally {
    service.kill('SIGTERM')
  }
}

describe('with k6', { tags: ['k6', 'alone'], timeout: TIMEOUT_MS }, () => {
  it('keeps the reference server to its limit, alone and in two segments', async () => {
    const [one, two] = [await loadtest(['rate-limit']), await loadtest(['rate-limit', '--processes', '2'])]
    for (const { code, verdict, red, html } of [one, two]) {
      expect({ red, code, invalid: verdict.invalid }).toEqual({ red: [], code: 0, invalid: [] })
      expect(verdict).toMatchObject({
        verdict: 'pass',
        valid: true,
        dropped: 0,
        limit: { requests: 3, windowSeconds: 1 },
      })
      expect(verdict.admitted).toBeGreaterThanOrEqual(verdict.lower)
      expect(verdict.admitted).toBeLessThanOrEqual(verdict.upper)
      expect(html).toContain('Admitted so far, load above')
      expect(html).not.toMatch(/<(link|img)|src=|https?:\/\/(?!127\.0\.0\.1)/)
    }
    expect(Math.abs(two.verdict.offered - one.verdict.offered)).toBeLessThanOrEqual(3)
    expect(Math.abs(two.verdict.admitted - one.verdict.admitted)).toBeLessThanOrEqual(3)
  })

  it.concurrent.each<[scenario: string, limit: string, fault: LimiterFaultId, assertion: string]>([
    ['rate-limit', '3/1', 'off', 'enforced'],
    ['rate-limit', '3/1', 'off-by-one', 'upper'],
    ['rate-limit', '3/2', 'one-too-few', 'lower'],
    ['rate-limit', '3/1', 'leaks', 'at-once'],
    ['rate-limit', '3/1', 'runs-refused', 'refusals-cheap'],
    ['rate-limit', '3/1', 'refuses-the-quiet', 'below'],
    ['retry-after', '4/3', 'says-too-soon', 'waited-admitted'],
    ['retry-after', '4/3', 'says-too-late', 'early-refused'],
    ['fairness', '4/1', 'shared', 'quiet-admitted'],
    ['fairness', '4/1', 'starves', 'quiet-served'],
  ])('%s with %s finds the fault %s by %s alone', async (scenario, limit, fault, assertion) => {
    const { code, red } = await againstLimiter(scenario, limit, fault)
    expect({ code, red }).toEqual({ code: 1, red: [assertion] })
  })

  it.concurrent.each(['fixed-window', 'sliding-window', 'token-bucket'])(
    'passes an honest %s',
    async (algorithm) => {
      const { code, red } = await againstLimiter('rate-limit', '3/1', 'none', algorithm)
      expect({ code, red }).toEqual({ code: 0, red: [] })
    },
  )

  it('is invalid, and blames no service, when k6 cannot offer the load', async () => {
    const { code, verdict } = await loadtest(['soak', '--seconds', '1', '--rate', '30000'], {}, 1)
    expect(code).toBe(3)
    expect(verdict).toMatchObject({ verdict: 'invalid', valid: false })
    expect(verdict.invalid.join()).toMatch(/of 30000 requests made/)
  })

  it.concurrent('finds answers that belong to another question', async () => {
    const { code, red } = await againstLimiter('streaming', '1000/1', 'mixes-answers')
    expect(code).toBe(1)
    expect(red).toContain('in-form')
  })

  it.concurrent.each([
    ['smoke', []],
    ['retry-after', []],
    ['fairness', []],
    ['rotation', []],
    ['streaming', ['--seconds', '4']],
    ['soak', ['--seconds', '4']],
    ['spike', []],
    ['breakpoint', ['--seconds', '5', '--max-rate', '60', '--slo-ms', '3000']],
  ])('%s passes on the reference server', async (scenario, flags) => {
    const { code, red, verdict } = await loadtest([scenario, ...flags])
    expect({ red, code, invalid: verdict.invalid }).toEqual({ red: [], code: 0, invalid: [] })
  })
})
