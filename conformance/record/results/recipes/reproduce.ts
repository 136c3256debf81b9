// `reproduce`: runs a recipe, and compares what it found with the published entry, or adds an entry.
import { UsageError } from '../../../../harness/cli/usage-error.ts'
import { addEntry, thisPlatform } from '../add-entry.ts'
import { MOST_BUNDLE_BYTES } from '../check-bundles.ts'
import type { Entry } from '../result-entry.ts'
import { type Added, makeEntry } from '../make-entry.ts'
import { findFolder } from '../public-record.ts'
import { CATALOGUE_VERSION } from '../../../../spec/catalogue/requirements.ts'
import { type Recipe, missingCommands } from './recipe.ts'
import { type RecipeRun, runRecipe } from './run-recipe.ts'

interface Options extends Omit<RecipeRun, 'seed'> {
  readonly record: string
  readonly addsEntry: boolean
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
  const published = findFolder(record, of)
  const before = published?.entries.find((each) => each.version === version && each.profile === profile)
  const { bundle, ...report } = await runRecipe(recipe, { ...options, seed: before?.seed ?? 1 })
  const kept = bundle.length <= MOST_BUNDLE_BYTES ? bundle : undefined
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
  const about = published === undefined ? { title, home, description: setup } : {}
  return {
    entry,
    report: report.report,
    /** The differences from the published entry; undefined if there is none of this version. */
    differences: before === undefined ? undefined : differencesOf(before, entry),
    addition: options.addsEntry
      ? addEntry(report, added, { record, about, replace: true, now: options.now, bundle: kept })
      : undefined,
  }
}

/** The checks whose outcome differs, in both directions. */
export function differencesOf(published: Entry, now: Entry) {
  const ids = [...new Set([...Object.keys(published.checks), ...Object.keys(now.checks)])]
  return ids.flatMap((check) => {
    const [one, other] = [published.checks[check] ?? 'nothing', now.checks[check] ?? 'nothing']
    return one === other ? [] : [{ check, published: one, now: other }]
  })
}
