// How the judge was started (from the TypeScript sources, or from a package, in which Node runs only JavaScript), and its
// version.
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { CATALOGUE_VERSION } from '../spec/catalogue/requirements.ts'
import { at } from './json-value.ts'

/** The ending of every module here: `.ts`, and `.js` in a package. */
export const MODULE_ENDING = extname(import.meta.filename)

/** The command that starts the judge; flags follow it. */
export const PROGRAM = MODULE_ENDING === '.js' ? 'npx touchstone' : 'npm run conformance --'

/** The version of this package. */
export function packageVersion(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL(import.meta.resolve('touchstone/package.json')), 'utf8'),
  )
  return String(at(manifest, 'version'))
}

export const versionLine = (): string => `touchstone ${packageVersion()}, catalogue ${CATALOGUE_VERSION}\n`
