// `reproduce`: runs a recipe, and compares what it found with the recorded entry, or records it.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { UsageError } from '../../../../harness/cli/usage-error.ts'
import { addEntry, thisPlatform } from '../add.ts'
import type { Entry } from '../entry.ts'
import { type Added, makeEntry } from '../make-entry.ts'
import { CAUSES, folderOf, readFolder } from '../record.ts'
import { CATALOGUE_VERSION } from '../../../../spec/catalogue/requirements.ts'
import { type Recipe, missingCommands } from './recipe.ts'
import { type RecipeRun, runRecipe } from './run-recipe.ts'

interface Options extends Omit<RecipeRun, 'seed'> {
  readonly record: string
  readonly isRecorded: boolean
  readonly now: Date
}

/** Runs the recipe. Throws `UsageError` if this machine lacks something, or the recipe cannot be run. */
export async function reproduce(recipe: Recipe, options: Options) {
  const missing = missingCommands(recipe)
  if (missing.length > 0)
    throw new UsageError(`${recipe.name} needs ${missing.join(', ')}, which this machine lacks`)
  const { record } = options
  const { name, version, profile, kind, title, home, setup, model, flags } = recipe
  const of = { catalogue: CATALOGUE_VERSION, kind, name }
  const recorded = existsSync(join(record, folderOf(of), CAUSES)) ? readFolder(record, of) : undefined
  const before = recorded?.entries.find((each) => each.version === version && each.profile === profile)
  const report = await runRecipe(recipe, { ...options, seed: before?.seed ?? 1 })
  const added: Added = {
    name,
    version,
    flags: kind === 'server' ? ['--profile', profile, ...flags] : [...flags],
    platform: thisPlatform(),
    model,
    provenance: 'reproduced',
    reproduce: [`npm run results -- reproduce ${name}@${version}`],
  }
  const entry = makeEntry(report, added)
  const about = recorded === undefined ? { title, home, description: setup } : {}
  return {
    entry,
    report: report.report,
    /** The differences from the recorded entry; undefined if there is none of this version. */
    differences: before === undefined ? undefined : differencesOf(before, entry),
    addition: options.isRecorded
      ? addEntry(report, added, { record, about, replace: true, now: options.now })
      : undefined,
  }
}

/** The checks whose outcome differs, in both directions. */
export function differencesOf(recorded: Entry, now: Entry) {
  const ids = [...new Set([...Object.keys(recorded.checks), ...Object.keys(now.checks)])]
  return ids.flatMap((check) => {
    const [one, other] = [recorded.checks[check] ?? 'nothing', now.checks[check] ?? 'nothing']
    return one === other ? [] : [{ check, recorded: one, now: other }]
  })
}
