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

export function versionLine(): string {
  const manifest: unknown = JSON.parse(
    readFileSync(new URL(import.meta.resolve('touchstone/package.json')), 'utf8'),
  )
  return `touchstone ${String(at(manifest, 'version'))}, catalogue ${CATALOGUE_VERSION}\n`
}
