// Finds k6: the program of K6_BIN, the one on the PATH, or a build of the version that go.mod pins.
import { execFile } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { duration } from '../../harness/cli/progress.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'

/** The folder in which `go tool k6` builds the pinned version, which takes minutes the first time. */
const MODULE = join(import.meta.dirname, '..')
const BUILD_TIMEOUT_MS = 900_000
const VERSION_TIMEOUT_MS = 30_000

/** The time between two lines of a build. */
const ALIVE_MS = 30_000

/** The first version that runs TypeScript. */
const OLDEST_MAJOR = 1

export const HOW_TO_GET_K6 =
  'k6 was not found: set K6_BIN to it, put it on the PATH (https://grafana.com/docs/k6/latest/set-up/install-k6/), or install Go, which builds the version of loadtest/go.mod'

export type K6 = Awaited<ReturnType<typeof known>>

type Environment = Readonly<Record<string, string | undefined>>

/** Throws `UsageError` with one line if there is no usable k6. `say` reports a slow build. */
export async function findK6(env: Environment, say: (line: string) => void): Promise<K6> {
  return await known(namedK6(env) ?? onPath('k6', env) ?? (await builtK6(env, say)))
}

async function known(path: string | undefined) {
  if (path === undefined) throw new UsageError(HOW_TO_GET_K6)
  /** The version has the form `v2.2.0`. */
  return { path, version: await versionOf(path) }
}

function namedK6({ K6_BIN: path }: Environment): string | undefined {
  if (path === undefined || path === '') return undefined
  if (!isProgram(path)) throw new UsageError(`K6_BIN: there is no program ${path}`)
  return path
}

/** The first program of this name in the folders of PATH. */
function onPath(name: string, { PATH: path = '' }: Environment): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Builds the pinned k6 with Go and returns its path; undefined without Go. */
async function builtK6(env: Environment, say: (line: string) => void): Promise<string | undefined> {
  const go = onPath('go', env)
  if (go === undefined) return undefined
  const startedAt = performance.now()
  const slow = setTimeout(
    () => say('building the k6 of loadtest/go.mod, once: about 3 min on two cores, of at most 15'),
    2_000,
  )
  const alive = setInterval(
    () => say(`still building k6, for ${duration((performance.now() - startedAt) / 1000)}`),
    ALIVE_MS,
  )
  try {
    const { stdout } = await promisify(execFile)(go, ['tool', '-n', 'k6'], {
      cwd: MODULE,
      env: { ...env },
      timeout: BUILD_TIMEOUT_MS,
    })
    return stdout.trim()
  } catch (error) {
    const [why = ''] = String(Object(error).stderr ?? error)
      .trim()
      .split('\n')
      .slice(-1)
    throw new UsageError(`Go could not build the k6 of loadtest/go.mod: ${why}`)
  } finally {
    clearTimeout(slow)
    clearInterval(alive)
  }
}

async function versionOf(path: string): Promise<string> {
  const { stdout } = await promisify(execFile)(path, ['version'], { timeout: VERSION_TIMEOUT_MS }).catch(
    () => ({ stdout: '' }),
  )
  // The first word is the name of its file.
  const version = /^\S+ (v(\d+)\.\S+) \(go/.exec(stdout)
  if (version === null) throw new UsageError(`${path} does not print its version as k6 does`)
  if (Number(version[2]) < OLDEST_MAJOR)
    throw new UsageError(
      `${path} is ${version[1]}: k6 v${OLDEST_MAJOR}.0.0 or later is needed for TypeScript`,
    )
  return version[1] ?? ''
}
