// The server of a pair: the reference server, the server of a recipe, or one that is running at an address.
import { freePort } from '../../../harness/http/free-port.ts'
import { startKeyedServer } from '../../../harness/reference-server.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import type { Pair } from '../results/pair-entry.ts'
import { type Recipe, missingCommands } from '../results/recipes/recipe.ts'
import {
  type RecipeFolder,
  install,
  newKey,
  startServer,
  variablesOf,
} from '../results/recipes/recipe-process.ts'
import { type PairServer, loadPair } from '../../subjects/index.ts'

/** The reference server without an inference engine, and with a limit that no pair reaches. */
const SETTINGS = { LLAMA_TINY: 'off', RATE_LIMIT_REQUESTS: '1000000000' } as const

export interface OpenServer extends PairServer, AsyncDisposable {
  readonly about: Pair['server']
}

/** Starts the server of a recipe. `model` is the model to request; left out: the first that the server lists. */
export async function openRecipe(
  recipe: Recipe,
  run: RecipeFolder,
  model: string | undefined,
): Promise<OpenServer> {
  const { name, title, version } = recipe
  const missing = missingCommands(recipe)
  if (missing.length > 0)
    throw new UsageError(`${name} needs ${missing.join(', ')}, which this machine lacks`)
  await using started = new AsyncDisposableStack()
  const { baseUrl, key } = await (recipe.start === undefined ? openReference : openProcess)()
  const { firstModel } = await loadPair()
  const requested = model ?? (await firstModel(baseUrl, key))
  const about = { name, title, version, ...(recipe.model === undefined ? {} : { model: recipe.model }) }
  const kept = started.move()
  return { baseUrl, key, model: requested, about, [Symbol.asyncDispose]: () => kept.disposeAsync() }

  async function openReference() {
    const server = started.use(await startKeyedServer(run.signal, () => {}, { settings: SETTINGS }))
    const { secret } = await server.keyMaker.create({})
    return { baseUrl: `${server.baseUrl}/v1`, key: secret }
  }

  async function openProcess() {
    const port = await freePort()
    const own = newKey(recipe.keyPrefix)
    const variables = variablesOf(recipe, run, port, own)
    await install(recipe, run, variables)
    started.use(await startServer(recipe, run, variables))
    return { baseUrl: `http://127.0.0.1:${port}/v1`, key: own }
  }
}

/** The server at an address. The key is that of the environment. */
export async function openAddress(
  given: string,
  key: string,
  model: string | undefined,
  signal: AbortSignal,
): Promise<OpenServer> {
  const server = await (await loadPair()).serverAt(given, key, model, signal)
  const about = { name: 'server', title: given, version: 'unknown' }
  return { ...server, about, [Symbol.asyncDispose]: async () => undefined }
}
