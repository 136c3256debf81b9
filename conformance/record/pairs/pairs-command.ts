// `npm run pairs`: tries client libraries at servers. Only this file writes to the terminal and into the record.
import { randomInt } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { consoleOptions, createPen } from '../../../harness/cli/pen.ts'
import { createProgress } from '../../../harness/cli/progress.ts'
import { runProgram } from '../../../harness/cli/run-program.ts'
import { printable } from '../../../harness/cli/text.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { commandStarter } from '../../../harness/judged-program.ts'
import { createRedactor } from '../../../harness/secrets/redact.ts'
import { StartError } from '../../../harness/reference-server.ts'
import { otherSecrets } from '../../contract/environment/given-secrets.ts'
import { programEnvironment } from '../../contract/environment/program-environment.ts'
import { loadPair } from '../../subjects/index.ts'
import { checkPair } from '../results/check/check-pair.ts'
import { parseStrictly } from '../results/check/strict-json.ts'
import { type Pair, type UseId, pairPath, pairSchema, shownPair } from '../results/pair-entry.ts'
import { jsonText } from '../results/public-record.ts'
import { type Recipe, readRecipe, recipeNames } from '../results/recipes/recipe.ts'
import { root } from '../results/recipes/recipe-process.ts'
import { createEvidence } from './evidence.ts'
import { makePair } from './make-pair.ts'
import { type OpenServer, openAddress, openRecipe } from './pair-server.ts'
import { type PairsOptions, readOptions } from './pairs-flags.ts'
import { renderPair } from './render-pairs.ts'

/** Hides the keys in the address of a server, and those of the environment. */
const redactor = createRedactor()
for (const word of process.argv) redactor.addAddresses(word)
redactor.addEnvironment(process.env)
const safe = (text: string): string => printable(redactor.text(text))

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const pen = createPen(consoleOptions(process.stdout, process.env))

/** The version of this project. */
const { version: JUDGE } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  readonly version: string
}

async function run(options: PairsOptions, signal: AbortSignal): Promise<number> {
  const { recipes, all, baseUrl } = options
  const known = (wanted: Recipe['kind']): readonly Recipe[] =>
    recipeNames(recipes)
      .map((name) => readRecipe(name, recipes))
      .filter(({ kind }) => kind === wanted)
  const clients =
    all === true ? known('client') : options.clients.map((name) => clientOf(name, known('client')))
  const servers = baseUrl === undefined ? options.servers : [undefined]
  const codes: number[] = []
  for (const server of servers) {
    await using open = await openServer(server, options, signal)
    for (const client of clients) codes.push(await tryPair(client, open, options, signal))
  }
  // A use that fails is worth more than a pair that this machine cannot run.
  return codes.includes(1) ? 1 : Math.max(0, ...codes)
}

/** A client by its name. Throws `UsageError` with the known names, and if the wanted version is not the installed one. */
function clientOf(name: string, known: readonly Recipe[]): Recipe {
  const [wanted = '', version] = name.split('@', 2)
  const recipe = known.find((one) => one.name === wanted)
  if (recipe === undefined)
    throw new UsageError(
      `--client: unknown client '${wanted}', expected one of ${known.map((one) => one.name).join(', ')}`,
    )
  if (version !== undefined && version !== recipe.version)
    throw new UsageError(
      `--client ${name}: fixtures/clients/install.sh installs ${recipe.version}, which is the one that would be tried`,
    )
  return recipe
}

/** Throws `UsageError` with the command that installs the program of a client, if a part of it is not there. */
function requireInstalled({ name, command = [], installs }: Recipe): void {
  const libraries = installs?.['client'] ?? []
  const parts = command.flatMap((word) => word.split(':')).filter((word) => word.includes('.installed/'))
  const needed = libraries.includes('node') ? ['fixtures/clients/node_modules'] : parts
  const missing = needed
    .map((part) => part.replace(/\/\*$/, ''))
    .find((part) => !existsSync(join(root, part)))
  if (missing === undefined) return
  throw new UsageError(
    `${name} is not installed (there is no ${missing}): run fixtures/clients/install.sh ${libraries.join(' ')}`,
  )
}

async function openServer(
  name: string | undefined,
  options: PairsOptions,
  signal: AbortSignal,
): Promise<OpenServer> {
  const { model, baseUrl, recipes, record } = options
  if (name === undefined)
    return openAddress(baseUrl ?? '', process.env['CONFORMANCE_API_KEY'] ?? '', model, signal)
  const recipe = readRecipe(name, recipes)
  if (recipe.kind !== 'server') throw new UsageError(`--server ${name}: expected the recipe of a server`)
  const folder = join(record, '.installed', `${recipe.name}-${recipe.version}`)
  return openRecipe(recipe, { folder, signal, say }, model)
}

/** Tries a pair, prints it, and adds it to the record. Returns its exit code. */
async function tryPair(
  recipe: Recipe,
  server: OpenServer,
  options: PairsOptions,
  signal: AbortSignal,
): Promise<number> {
  const { name, title, version, notOffered = {}, command = [], installs } = recipe
  const progress = createProgress(process.stderr, () => performance.now(), 'uses')
  const scratch = mkdtempSync(join(tmpdir(), 'touchstone-pairs-'))
  const folder = options.evidence ?? scratch
  mkdirSync(folder, { recursive: true })
  let done = 0
  try {
    requireInstalled(recipe)
    const { about } = server
    const { uses, tryUses } = await loadPair()
    const startedMs = performance.now()
    const tried = await tryUses(
      uses.filter(({ name: use }) => options.only.includes(use) && notOffered[use] === undefined),
      {
        start: commandStarter(command, programEnvironment(process.env)),
        server,
        seed: randomInt(2 ** 32),
        concurrency: options.concurrency,
        timeoutMs: options.timeoutSeconds * 1000,
        signal,
        onUse: ({ id }) => progress.update((done += 1), options.only.length, id),
      },
    )
    const pair = makePair({
      client: { name, title, version },
      server: about,
      uses: options.only,
      tried,
      notOffered,
      evidence: createEvidence(
        join(folder, `${name}@${about.name}.jsonl`),
        server.baseUrl,
        [server.key, ...otherSecrets({ baseUrl: options.baseUrl })].filter((key) => key !== ''),
      ),
      repeat: (use) => commandLine(name, server, options, use),
      before: (installs?.['client'] ?? []).map((library) => `fixtures/clients/install.sh ${library}`),
      judge: JUDGE,
      seconds: Math.round((performance.now() - startedMs) / 1000),
      now: new Date(),
    })
    progress.end()
    const shown = shownPair(pair)
    say(redactor.text(renderPair(shown, pen)))
    if (options.adds === true) add(pair, options.record)
    return Object.values(shown.uses).some(({ verdict }) => verdict === 'fails') ? 1 : 0
  } catch (error) {
    progress.end()
    if (!(error instanceof UsageError) || options.all !== true) throw error
    say(`${title} ${version} was not tried: ${safe(error.message)}\n`)
    return 2
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function commandLine(name: string, server: OpenServer, { baseUrl }: PairsOptions, use?: UseId): string {
  const at = baseUrl === undefined ? `--server ${server.about.name}` : '--base-url $URL'
  return `npm run pairs -- --client ${name} ${at}${use === undefined ? '' : ` --only ${use}`}`
}

/** Writes a pair into the record. Throws if the record would refuse it. */
function add(pair: Pair, record: string): void {
  const text = jsonText(pair)
  const [problem] = [...parseStrictly(text, pairSchema).problems, ...checkPair(pair, new Date())]
  if (problem !== undefined)
    throw new Error(`${problem.place}: received ${problem.received}; expected ${problem.expected}`)
  const file = join(record, pairPath(pair))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

await runProgram({ name: 'pairs', read: readOptions, expected: [StartError], safe, run })
