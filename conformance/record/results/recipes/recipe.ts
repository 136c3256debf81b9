// The recipes in `results/recipes/NAME/`: how an implementation is installed, started and judged.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { readGivenJson } from '../../../../harness/bounds/read-file.ts'
import { UsageError } from '../../../../harness/cli/usage-error.ts'
import { kinds, profiles, slug, version, webAddressSchema } from '../result-entry.ts'
import { compareVersions } from '../public-record.ts'

export const RECIPES = fileURLToPath(new URL('../../../../results/recipes', import.meta.url))

const recipeSchema = z.object({
  kind: z.enum(kinds),
  title: z.string().min(1),
  home: webAddressSchema.optional(),
  versions: z.array(version).min(1),
  model: z.string().min(1).optional(),
  /** The commands that must be on the PATH. */
  needs: z.array(z.string().min(1)),
  /** Packages to install instead of a script, in which `$VERSION` is the version; or a library of `fixtures/clients`. */
  installs: z.record(z.enum(['pip', 'npm', 'client']), z.array(z.string())).optional(),
  profile: z.enum(profiles),
  /** How the key that the run makes begins, for an implementation that takes no other. */
  keyPrefix: z.string().default('sk-'),
  /** Whether it asks its clients for a key: a gateway that does not is judged without one. */
  hasKeys: z.boolean().default(true),
  /** The flags of the judge, without its addresses. */
  flags: z.array(z.string()),
  readySeconds: z.number().int().nonnegative(),
  /** The setup, in Markdown. */
  setup: z.string().min(1),
  /** Starts a client in the folder of the project. */
  command: z.array(z.string()).min(1).optional(),
  /** The uses that the library does not offer, each with the page of its documentation that shows it. */
  notOffered: z.record(slug, webAddressSchema).optional(),
  /** The reason why no client was tried with this server. */
  untried: z.string().min(1).optional(),
})

export interface Recipe extends z.infer<typeof recipeSchema> {
  readonly name: string
  readonly version: string
  /** The words of the installation, if there is one. */
  readonly install: readonly string[] | undefined
  /** The script, if it has one: a client has a command instead, and the judge starts the reference server. */
  readonly start: string | undefined
  /** The script that serves a puppet, if the implementation is an engine that can. */
  readonly puppet: string | undefined
}

/** The commands that install packages into the working folder. */
const INSTALLERS: Readonly<Record<string, string>> = {
  pip: '[ -x venv/bin/pip ] || python3 -m venv venv; venv/bin/pip install --quiet --disable-pip-version-check "$@"',
  npm: '[ -d node_modules ] || npm install --no-save --no-audit --no-fund --ignore-scripts --prefix . "$@"',
  client: '"$ROOT/fixtures/clients/install.sh" "$@"',
}

export function recipeNames(recipes = RECIPES): readonly string[] {
  return readdirSync(recipes)
    .filter((name) => existsSync(join(recipes, name, 'recipe.json')))
    .toSorted()
}

/** The largest recipe, in bytes. */
const MOST_RECIPE_BYTES = 256 * 1024

/** Reads the recipe of `NAME` or `NAME@VERSION`; the default is its newest version. Throws `UsageError`. */
export function readRecipe(target: string, recipes = RECIPES): Recipe {
  const [name = '', wanted] = target.split('@', 2)
  if (!slug.safeParse(name).success || !existsSync(join(recipes, name, 'recipe.json')))
    throw new UsageError(`unknown recipe '${name}': expected one of ${recipeNames(recipes).join(', ')}`)
  const file = join(recipes, name, 'recipe.json')
  const recipe = recipeSchema.safeParse(readGivenJson(file, file, MOST_RECIPE_BYTES))
  if (!recipe.success) {
    const [issue] = recipe.error.issues
    throw new UsageError(`${name}/recipe.json: ${issue?.path.join('.')}: ${issue?.message}`)
  }
  const { versions } = recipe.data
  const chosen = wanted ?? versions.toSorted(compareVersions).at(-1)
  if (chosen === undefined || !versions.includes(chosen))
    throw new UsageError(`${name} has no version ${wanted}; expected one of ${versions.join(', ')}`)
  const script = (file: string): string | undefined => {
    const path = join(recipes, name, file)
    return existsSync(path) ? path : undefined
  }
  const [by = '', packages = []] = Object.entries(recipe.data.installs ?? {})[0] ?? []
  const words = packages.map((each) => each.replace('$VERSION', chosen))
  const own = script('install.sh')
  const command = INSTALLERS[by]
  const install = command === undefined ? undefined : ['sh', '-euc', command, by, ...words]
  return {
    ...recipe.data,
    name,
    version: chosen,
    install: own === undefined ? install : [own],
    start: script('start.sh'),
    puppet: script('puppet.sh'),
  }
}

/** The servers that no client was tried with, each with its reason. */
export function untriedServers(recipes = RECIPES) {
  return recipeNames(recipes).flatMap((name) => {
    const { title, version, untried } = readRecipe(name, recipes)
    return untried === undefined ? [] : [{ name, title, version, reason: untried }]
  })
}

/** The commands that the recipe needs and this machine lacks. */
export function missingCommands({ needs }: Pick<Recipe, 'needs'>, path = process.env['PATH']) {
  const isFound = (command: string): boolean =>
    spawnSync('/bin/sh', ['-c', 'command -v "$0"', command], { env: { PATH: path } }).status === 0
  return needs.filter((command) => !isFound(command))
}
