// `loadtest judge`: runs a load generator against the calibrated service, once for each script, and compares its report with what
// the service really did.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createProgress } from '../../harness/cli/progress.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { commandStarter, ending } from '../../harness/judged-program.ts'
import { MODULE_ENDING } from '../../harness/program.ts'
import { commandSecrets } from '../../harness/secrets/known-secrets.ts'
import { CREDENTIAL_VARIABLE } from '../../spec/protocol/credential-places.ts'
import { type Clock, MODEL_PREFIX, startClock } from '../clock/clock-service.ts'
import { type GeneratorVerdict, generatorVerdict } from '../clock/generator-verdict.ts'
import { judgeClaims } from '../clock/judge-claims.ts'
import { type FigureVerdict, judgeFigure } from '../clock/judge-figures.ts'
import { FIGURES, type Figure, type ReportedFigures } from '../clock/reported-figures.ts'
import { type ServedStream, isWhole } from '../clock/served-truth.ts'
import { type Adapter, INPUTS, readFigures } from './generator-adapter.ts'
import type { LoadTestOptions } from './loadtest-options.ts'
import type { LoadTest } from './open-target.ts'

/** The load of a run, unless flags say otherwise. */
const DEFAULT_CALLERS = 4
const DEFAULT_RATE = 10

/** The key that the clock takes: any. */
const KEY = 'clock-any-key'

/** A line of `{out}/prompts.jsonl`, in the members that generators read. */
const PROMPT = `${JSON.stringify({ prompt: 'word word word', text: 'word word word', output_tokens: 20, output_length: 20 })}\n`

const COUNTS: readonly Figure[] = ['requests', 'completed', 'failed']

/** The figures that are judged with a script; with any other one all, or the counts if some of its streams fail. */
export const QUESTIONS: Readonly<Record<string, readonly Figure[]>> = {
  even: FIGURES,
  'role-early': ['ttft'],
  'comment-early': ['ttft'],
  reasoning: ['ttft', 'tpot', 'tokens'],
  'tokens-per-event': ['tpot', 'tokens', 'tokensPerSecond'],
  'token-in-parts': ['tpot', 'tokens'],
  'heavy-tail': ['ttft'],
  refusals: COUNTS,
  reset: COUNTS,
  'error-first': COUNTS,
  'error-midway': COUNTS,
}

/** Throws `UsageError`. Always ends the program and the clock. */
export async function judgeGenerator({
  options,
  env,
  redactor,
  signal,
}: LoadTest): Promise<GeneratorVerdict> {
  const { figures: adapter, operands, scripts = Object.keys(QUESTIONS), tries } = options
  if (adapter === undefined)
    throw new UsageError('judge: --figures is needed, a known generator or the file of an adapter')
  const command = operands.length > 0 ? operands : adapter.command
  if (command.length === 0) throw new UsageError('judge: expected the command of the generator after --')
  // The key of the clock is not a secret.
  for (const secret of commandSecrets(command.map((word) => word.replace(/\S*=\{api_key\}\S*/, ''))))
    redactor.add(secret)
  const clock = await startClock(0, undefined)
  const scratch = mkdtempSync(join(tmpdir(), 'touchstone-judge-'))
  const progress = createProgress(process.stderr, () => performance.now(), 'scripts')
  const rows: FigureVerdict[] = []
  const invalid: string[] = []
  try {
    const run = runnerOf({ command, adapter, options, env, clock, scratch, signal })
    for (const [place, script] of scripts.entries()) {
      progress.update(place, scripts.length, script)
      let judged: readonly FigureVerdict[] = []
      let why: string | undefined
      for (let attempt = 0; attempt === 0 || (attempt < tries && judged.some(isDisturbed)); attempt++) {
        const { served, figures, end } = await run(script, attempt)
        why = typeof figures === 'string' ? `${script}: ${figures} (${end})` : undefined
        judged = merge(judged, judge({ script, served, command, options }, figures))
      }
      rows.push(...judged)
      if (why !== undefined) invalid.push(why)
    }
  } finally {
    progress.end()
    await clock.close()
    rmSync(scratch, { recursive: true, force: true })
  }
  return generatorVerdict({ generator: adapter, command, rows, invalid, ...loadOf(options) })
}

const loadOf = ({
  requests,
  concurrency = DEFAULT_CALLERS,
  rate = DEFAULT_RATE,
  toleranceMs,
  tolerancePercent,
}: LoadTestOptions) => ({
  load: { requests, concurrency, ratePerSecond: rate },
  tolerance: { ms: toleranceMs, percent: tolerancePercent },
})

/** A busy machine may explain it. A generator that is wrong by itself is so in each run. */
const isDisturbed = ({ found, isLate }: FigureVerdict): boolean => found === 'off' && isLate

/** The outcomes of several runs: one run that was not disturbed is enough for a right figure, and one error for a wrong one. */
function merge(before: readonly FigureVerdict[], now: readonly FigureVerdict[]): readonly FigureVerdict[] {
  return now.map((one, place) => {
    const earlier = before[place]
    const isWrong = one.found === 'off' && !one.isLate
    return earlier === undefined || isDisturbed(earlier) || isWrong ? one : earlier
  })
}

interface Run {
  readonly script: string
  readonly served: readonly ServedStream[]
  readonly command: readonly string[]
  readonly options: LoadTestOptions
}

function judge({ script, served, command, options }: Run, figures: ReportedFigures | string) {
  const { load, tolerance } = loadOf(options)
  const has = (name: string): boolean => command.some((word) => word.includes(`{${name}}`))
  const asked = QUESTIONS[script] ?? (served.every(isWhole) ? FIGURES : COUNTS)
  const reported = typeof figures === 'string' ? {} : figures
  return [
    ...asked.map((figure) => judgeFigure({ script, figure, reported: reported[figure], served, tolerance })),
    ...(served.length === 0 || asked !== FIGURES
      ? []
      : judgeClaims(
          {
            requests: has('requests') ? load.requests : undefined,
            concurrency: has('concurrency') ? load.concurrency : undefined,
          },
          { script, served, tolerance },
        )),
  ]
}

interface Runner extends Pick<LoadTest, 'options' | 'env' | 'signal'> {
  readonly command: readonly string[]
  readonly adapter: Adapter
  readonly clock: Clock
  readonly scratch: string
}

/** Returns a function that runs the command once: with a new truth and an empty folder for its files. */
function runnerOf({ command, adapter, options, env, clock, scratch, signal }: Runner) {
  const { load } = loadOf(options)
  // It needs no key but that of the clock, and no proxy may stand between the two.
  const names = Object.keys(env).filter((name) => !CREDENTIAL_VARIABLE.test(name) && !/_proxy$/i.test(name))
  const start = commandStarter(command, {
    ...Object.fromEntries(names.map((name) => [name, env[name]])),
    LOADTEST_KEYS: KEY,
    ...adapter.env,
  })
  return async (script: string, attempt: number) => {
    const out = join(scratch, `${script}-${attempt}`)
    mkdirSync(out)
    writeFileSync(join(out, 'prompts.jsonl'), PROMPT.repeat(load.requests))
    clock.forget()
    const [base_url, model] = [`${clock.baseUrl}/v1`, MODEL_PREFIX + script]
    const running = start({
      env: { OPENAI_BASE_URL: base_url, OPENAI_API_KEY: KEY, OPENAI_MODEL: model },
      values: {
        base_url,
        root_url: clock.baseUrl,
        model,
        api_key: KEY,
        requests: String(load.requests),
        concurrency: String(load.concurrency),
        rate: String(load.ratePerSecond),
        seconds: String(Math.ceil(load.requests / load.ratePerSecond)),
        out,
        inputs: INPUTS,
        node: process.execPath,
        loadtest: join(import.meta.dirname, '..', `cli${MODULE_ENDING}`),
      },
    })
    const bound = AbortSignal.any([signal, AbortSignal.timeout(options.timeoutSeconds * 1000)])
    const kill = (): void => running.kill()
    bound.addEventListener('abort', kill, { once: true })
    try {
      const end = await running.ended
      signal.throwIfAborted()
      const served = await clock.served()
      const figures =
        served.length === 0 ? 'it sent no request to the clock' : readFigures(adapter, out, end.stdout)
      const late = end.isOverdue ? `ended after ${options.timeoutSeconds} s` : ending(end)
      return { served, figures, end: late }
    } finally {
      bound.removeEventListener('abort', kill)
    }
  }
}
