// Runs a recipe: installs, starts and judges, and ends every process that it started, however the run ends.
import { freePort } from '../../../../harness/http/free-port.ts'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../../../../harness/cli/usage-error.ts'
import { readBundle } from '../../../bundle/bundle-file.ts'
import { type ReadReport, readReport } from '../make-entry.ts'
import type { Recipe } from './recipe.ts'
import {
  type RecipeFolder,
  install,
  newKey,
  root,
  start,
  startServer,
  tailOf,
  untilEnd,
  variablesOf,
} from './recipe-process.ts'

export interface RecipeRun extends RecipeFolder {
  readonly seed: number
}

/** Runs the recipe and returns the report and the bundle. Throws `UsageError` if it cannot be installed, started or judged. */
export async function runRecipe(
  recipe: Recipe,
  run: RecipeRun,
): Promise<ReadReport & { readonly bundle: Uint8Array }> {
  const { folder, signal, say } = run
  const [port, upstreamPort] = [await freePort(), await freePort()]
  const [key, upstreamKey] = [newKey(recipe.keyPrefix), newKey('sk-')]
  const upstream = { UPSTREAM: `http://127.0.0.1:${upstreamPort}/v1`, UPSTREAM_KEY: upstreamKey }
  const env = { ...variablesOf(recipe, run, port, key), ...(recipe.kind === 'gateway' ? upstream : {}) }
  await install(recipe, run, env)
  const bundle = join(folder, 'run.zip')
  rmSync(bundle, { force: true })
  // A client that the judge starts gets the variables of its recipe.
  const passed = Object.keys(env).flatMap((name) => ['--env', name])
  const words = judgeWords(recipe, run.seed, { port, upstreamPort, bundle, passed })
  await using started = new AsyncDisposableStack()
  if (recipe.kind === 'server') started.use(await startServer(recipe, run, env))
  say(`judging ${recipe.name} ${recipe.version}`)
  const clientKey = recipe.hasKeys ? { CONFORMANCE_API_KEY: key } : {}
  const keys = { ...clientKey, CONFORMANCE_UPSTREAM_KEY: upstreamKey }
  const isOwn = recipe.kind === 'server' && recipe.start === undefined
  const command = [process.execPath, join(root, 'conformance', 'cli.js'), ...words]
  await using judge = start(command, join(folder, 'judge.log'), {
    cwd: root,
    env: { ...env, ...(isOwn || recipe.kind === 'client' ? {} : keys) },
  })
  const code = await untilEnd(judge, signal)
  if (code === 2 || code === undefined)
    throw new UsageError(`the judge ended with ${code}: ${tailOf(judge.log)}`)
  if (!existsSync(bundle)) throw new UsageError(`the run was not recorded: ${tailOf(judge.log)}`)
  const bytes = readFileSync(bundle)
  return { ...readReport(readBundle(bytes).reportBytes, bundle), bundle: bytes }
}

function judgeWords(
  { kind, profile, flags, start: script, command = [], readySeconds }: Recipe,
  seed: number,
  at: {
    readonly port: number
    readonly upstreamPort: number
    readonly bundle: string
    readonly passed: readonly string[]
  },
): readonly string[] {
  const common = [
    ...(flags.includes('--seed') ? [] : ['--seed', String(seed)]),
    '--bundle',
    at.bundle,
    ...flags,
  ]
  const baseUrl = ['--base-url', `http://127.0.0.1:${at.port}`]
  if (kind === 'client') return ['client', ...common, ...at.passed, '--', ...command]
  if (kind === 'server')
    return ['run', ...(script === undefined ? [] : baseUrl), '--profile', profile, ...common]
  const starting = ['--listen', String(at.upstreamPort), '--warm-up', String(Math.max(1, readySeconds))]
  // The judge starts a gateway itself, when its upstream listens.
  const gateway = ['--', 'sh', '-c', 'cd "$FOLDER" && exec "$0"', script ?? '']
  return ['gateway', ...baseUrl, ...starting, ...common, ...gateway]
}
