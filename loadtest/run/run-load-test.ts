// One run: opens the target, runs k6 and the sampler at the same time, and judges their records.
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { urlAt } from '../../harness/http/service-address.ts'
import { findK6 } from '../k6/find-k6.ts'
import type { Judgement, LoadRun } from '../judges/judgement.ts'
import { REVOKED_AT } from '../judges/steady.ts'
import type { RunOptions } from './loadtest-options.ts'
import { type LoadPlan, planSeconds } from '../theory/load-plan.ts'
import { readRecords } from '../k6/k6-record.ts'
import { recordFiles, runK6 } from '../k6/run-k6.ts'
import { type Sample, sampleAnswers, sampled } from './sample-answers.ts'
import type { LoadSettings } from '../judges/load-scenario.ts'
import {
  type Environment,
  type LoadTarget,
  type LoadTest,
  openTarget,
  rolesOf,
  SAMPLE,
} from './open-target.ts'
import type { Counting } from '../theory/limiter-bounds.ts'
import { type LoadVerdict, verdictOf } from '../judges/load-verdict.ts'
import { untilFirstAnswer } from '../k6/first-answer.ts'

/** The interval between answers that are read byte for byte. */
const SAMPLE_EVERY_MS = 250

interface ScenarioTest extends LoadTest<RunOptions> {
  readonly say: (line: string) => void
}

export type LoadTestResult =
  | { readonly planned: LoadPlan }
  | { readonly verdict: LoadVerdict; readonly run: LoadRun; readonly judgement: Judgement }

/** Throws `UsageError` and the errors of its steps. Always revokes the keys and stops the processes that it created. */
export async function runLoadTest(test: ScenarioTest): Promise<LoadTestResult> {
  const { options, env, signal } = test
  const settings = settingsOf(options, env)
  if (options.plan || options.record.length > 0) {
    const planned = planElsewhere(options, settings)
    if (options.plan) return { planned }
    return await judge(test, { plan: planned, k6: 'elsewhere' }, options.record)
  }
  const k6 = await findK6(env, test.say)
  const target = await openTarget(test, settings.limit)
  const folder = await mkdtemp(join(tmpdir(), 'touchstone-load-'))
  try {
    const plan = planOf(options, { ...settings, delays: target.delays }, target)
    const sampling = new AbortController()
    const until = AbortSignal.any([signal, sampling.signal])
    const key = target.keys.get(SAMPLE)
    const sampler =
      key === undefined ? undefined : sampleAnswers({ plan, key, everyMs: SAMPLE_EVERY_MS, until })
    const keys = plan.roles.map((role) => target.keys.get(role) ?? '')
    const { processes } = options
    const [files, revokedAt] = await Promise.all([
      runK6({ path: k6.path, plan, keys, processes, folder, signal }),
      rotate(plan, target, { folder, processes }, until),
    ]).finally(() => sampling.abort())
    return await judge(test, { plan, k6: k6.version }, files, await sampler, revokedAt)
  } finally {
    await rm(folder, { recursive: true, force: true })
    await target.close()
  }
}

function settingsOf(options: RunOptions, env: Environment): Omit<LoadSettings, 'delays'> {
  const { scenario, limit, baseUrl } = options
  const isGiven = limit !== undefined || (env['LOADTEST_KEY_COMMAND'] ?? '') !== ''
  if (baseUrl !== undefined && scenario.limited !== undefined && !isGiven)
    throw new UsageError(`${scenario.name}: --limit N/SECONDS names the limit of the keys`)
  const standard = scenario.defaults(limit)
  return {
    limit: limit ?? standard.limit,
    seconds: options.seconds ?? standard.seconds,
    rate: options.rate ?? standard.rate ?? 0,
    maxRate: options.maxRate ?? standard.maxRate ?? 0,
  }
}

function planOf(
  { scenario, profile, timeoutSeconds, authHeader }: RunOptions,
  settings: LoadSettings,
  { baseUrl, model, echoes }: Pick<LoadTarget, 'baseUrl' | 'model' | 'echoes'>,
): LoadPlan {
  return {
    scenario: scenario.name,
    baseUrl,
    urls: { chat: urlAt(baseUrl, '/v1/chat/completions'), models: urlAt(baseUrl, '/v1/models') },
    authHeader,
    model,
    echoes,
    refusalForm: profile === 'service',
    roles: rolesOf(scenario),
    limit: settings.limit,
    loads: scenario.loads(settings),
    timeoutSeconds,
  }
}

/** The plan for k6 on other machines, for which this machine sends no request. */
function planElsewhere(options: RunOptions, settings: Omit<LoadSettings, 'delays'>): LoadPlan {
  const { baseUrl = '', model } = options
  if (model === undefined) throw new UsageError('--plan and --record: --model is needed')
  return planOf(options, { ...settings, delays: false }, { baseUrl, model, echoes: false })
}

/** Revokes the old key of a `rotation` at its time and returns the time of the revocation, in seconds of Unix time. */
async function rotate(
  plan: LoadPlan,
  target: LoadTarget,
  where: { readonly folder: string; readonly processes: number },
  until: AbortSignal,
): Promise<number | undefined> {
  if (plan.scenario !== 'rotation') return undefined
  await untilFirstAnswer(recordFiles(where), until)
  await sleep(planSeconds(plan) * REVOKED_AT * 1000, undefined, { signal: until }).catch(() => undefined)
  if (until.aborted) return undefined
  await target.revoke('old')
  return Date.now() / 1000
}

/** `revokedAt`: when the old key of a rotation was revoked, if this machine did it. */
async function judge(
  { options }: ScenarioTest,
  { plan, k6 }: { plan: LoadPlan; k6: string },
  files: readonly string[],
  sample?: Sample,
  revokedAt?: number,
): Promise<LoadTestResult> {
  const counting: Counting = {
    limit: plan.limit,
    algorithm: options.algorithm,
    burst: options.burst ?? plan.limit.requests,
  }
  const run: LoadRun = { plan, counting, sloMs: options.sloMs, record: await readRecords(files), revokedAt }
  const judged = options.scenario.judge(run)
  const judgement = { ...judged, assertions: [...judged.assertions, sampled(sample)] }
  const machine = { k6, cores: availableParallelism(), processes: files.length }
  const limited = options.scenario.limited !== undefined
  return { verdict: verdictOf(run, judgement, machine, limited), run, judgement }
}
