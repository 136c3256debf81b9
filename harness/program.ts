// How the judge was started (from the TypeScript sources, from a package, in which Node runs only JavaScript, or as the one
// executable, which contains its files), its version, and where its own files are. All that depends on this asks here.
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { getAsset, isSea } from 'node:sea'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import { CATALOGUE_VERSION } from '../spec/catalogue/requirements.ts'
import { at } from './json-value.ts'

/** The ending of every module here: `.ts`, and `.js` in a package and in the executable. */
export const MODULE_ENDING = extname(import.meta.filename)

/** Whether this is the one executable, which contains Node and its own files. */
export const isExecutable = isSea()

/** The command that starts the judge; flags follow it. */
export const PROGRAM = isExecutable ? 'touchstone' : 'npx touchstone'

/**
 * Reads a file of this project as text. In the executable, where `url` is below the root (deploy/binary), it is an asset of the same
 * path.
 */
export function readOwnFile(url: URL): string {
  return isExecutable ? getAsset(url.pathname.slice(1), 'utf8') : readFileSync(url, 'utf8')
}

/** Starts a thread with a module of this project, whose `url` has no ending. */
export function startOwnThread(url: URL, options: WorkerOptions): Worker {
  const module = new URL(`${url.href}${MODULE_ENDING}`)
  if (!isExecutable) return new Worker(module, options)
  // A thread has the same code as the program, and finds its module by its arguments.
  return new Worker(getAsset('main.cjs', 'utf8'), { ...options, eval: true, argv: [module.pathname] })
}

/** The version of this package. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readOwnFile(new URL(import.meta.resolve('touchstone/package.json'))))
  return String(at(manifest, 'version'))
}

export const versionLine = (): string => `touchstone ${packageVersion()}, catalogue ${CATALOGUE_VERSION}\n`
