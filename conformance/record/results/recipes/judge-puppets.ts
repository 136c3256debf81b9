// Judges the engine of a recipe with the puppet of each family: `puppet.sh` of the recipe serves one.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { UsageError } from '../../../../harness/cli/usage-error.ts'
import { freePort } from '../../../../harness/http/free-port.ts'
import { CATALOGUE_VERSION } from '../../../../spec/catalogue/requirements.ts'
import { thisPlatform } from '../add-entry.ts'
import { ENGINE_SCHEMA, type EngineEntry, type Found, enginePath, engineSchema } from '../engine-entry.ts'
import { readReport } from '../make-entry.ts'
import { jsonText, readValid } from '../public-record.ts'
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

const { version: JUDGE } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string
}

export interface PuppetsRun extends RecipeFolder {
  readonly record: string
  /** The families; all without one. */
  readonly families: readonly string[]
  readonly now: Date
}

/** The longest text of an entry, in characters. */
const MOST_CHARS = 600

/** Runs the families one after the other, and writes the entry of the engine. Throws `UsageError` if one cannot be judged. */
export async function judgePuppets(recipe: Recipe, run: PuppetsRun): Promise<EngineEntry> {
  const { puppet, name, title, version } = recipe
  if (puppet === undefined)
    throw new UsageError(`${name} serves no puppets: its recipe has no script puppet.sh`)
  await install(recipe, run, variablesOf(recipe, run, await freePort(), ''))
  const puppets = join(run.folder, 'puppets')
  const wanted = run.families.length === 0 ? [] : ['--family', run.families.join(',')]
  const writer = [join(root, 'puppets', 'puppets-command.ts'), ...wanted, '--out', puppets]
  mkdirSync(puppets, { recursive: true })
  await runTool([process.execPath, ...writer], join(run.folder, 'puppets.log'), run, {})
  const written = readdirSync(puppets).flatMap((file) => /^puppet-(.*)\.json$/.exec(file)?.[1] ?? [])
  const families = run.families.length === 0 ? written : run.families
  const path = join(run.record, enginePath({ catalogue: CATALOGUE_VERSION, engine: recipe }))
  const before = existsSync(path) ? readValid(path, engineSchema) : undefined
  const isSame = before?.engine.version === version
  const entry: EngineEntry = {
    schema: ENGINE_SCHEMA,
    catalogue: CATALOGUE_VERSION,
    engine: { name, title, version },
    date: run.now.toISOString().slice(0, 10),
    judge: JUDGE,
    platform: thisPlatform(),
    reproduce: [`npm run results -- puppets ${name}@${version}`],
    families: isSame ? before.families : {},
    causes: before?.causes ?? {},
  }
  mkdirSync(dirname(path), { recursive: true })
  for (const family of families) {
    run.say(`judging ${name} ${version} with ${family}`)
    const { report, seconds } = await judgeFamily({ ...recipe, start: puppet }, run, family)
    const checks = report.checks.map((check): [string, Found] => [
      check.id,
      foundOf(check, before?.families[family]?.checks[check.id]),
    ])
    entry.families[family] = { seconds, checks: Object.fromEntries(checks) }
    // An interrupted run keeps the families that it judged.
    writeFileSync(path, jsonText(engineSchema.parse(entry)))
  }
  return entry
}

/** A check that fails by the same bytes as before keeps its cause: other bytes may have another one. */
function foundOf(check: Judged['checks'][number], before: Found | undefined): Found {
  const { outcome } = check
  if (outcome === 'pass' || outcome === 'not-applicable') return { outcome }
  const [expected, actual] = [check.expected, check.actual].map((text) =>
    text === undefined ? undefined : cut(text),
  )
  const isAsBefore = before?.outcome === outcome && before.actual === actual
  return {
    outcome,
    ...(expected !== undefined && { expected }),
    ...(actual !== undefined && { actual }),
    ...(isAsBefore && before.cause !== undefined && { cause: before.cause }),
  }
}

/** The ids of calls are random, as keys are: a public record has none. */
const cut = (given: string): string => {
  const text = given.replaceAll(/"id":"[^"]*"?/g, '"id":"…"')
  return text.length > MOST_CHARS ? `${text.slice(0, MOST_CHARS)}…` : text
}

type Judged = ReturnType<typeof readReport>['report']

async function judgeFamily(recipe: Recipe, run: PuppetsRun, family: string) {
  const port = await freePort()
  const key = newKey(recipe.keyPrefix)
  const puppets = join(run.folder, 'puppets')
  const env = { ...variablesOf(recipe, run, port, key), PUPPETS: puppets, PUPPET: `puppet-${family}` }
  await using server = await startServer(recipe, run, env)
  if (server === undefined) throw new UsageError(`${recipe.name} has no server`)
  const file = join(run.folder, 'report.json')
  const target = ['--base-url', `http://127.0.0.1:${port}`, '--model', `puppet-${family}`]
  const puppet = [
    '--puppet',
    join(puppets, `puppet-${family}.json`),
    '--profile',
    'wire',
    '--only',
    'PARSE-*',
  ]
  const words = ['check', ...target, ...puppet, '--seed', '1', '--json', file]
  const began = performance.now()
  const command = [process.execPath, join(root, 'conformance', 'cli.js'), ...words]
  await runTool(
    command,
    join(run.folder, 'judge.log'),
    run,
    recipe.hasKeys ? { CONFORMANCE_API_KEY: key } : {},
  )
  const seconds = Math.round((performance.now() - began) / 1000)
  return { report: readReport(readFileSync(file), file).report, seconds }
}

/** Runs a command of this project to its end. Throws `UsageError` with the end of its log if it cannot do its work. */
async function runTool(
  words: readonly string[],
  log: string,
  { signal }: PuppetsRun,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  await using tool = start(words, log, { cwd: root, env })
  const code = await untilEnd(tool, signal)
  if (code !== 0 && code !== 1) throw new UsageError(`${words[1]} ended with ${code}: ${tailOf(tool.log)}`)
}
