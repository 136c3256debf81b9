// Builds the JavaScript of the package, because Node does not run TypeScript under node_modules. Only `npm pack` needs it.
// `node build.ts [FOLDER]` writes to FOLDER, by default `dist`.
import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

/** Files that the modules read, at the same relative paths as in the sources. */
const ASSETS = ['openapi.json', 'fixtures/tiny-model/svc-0.1-tiny.gguf']

const root = import.meta.dirname
const folder = resolve(process.argv[2] ?? join(root, 'dist'))
const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '..', 'bin', 'tsc')

rmSync(folder, { recursive: true, force: true })
execFileSync(process.execPath, [tsc, '--project', join(root, 'tsconfig.build.json'), '--outDir', folder], {
  stdio: 'inherit',
})
for (const asset of ASSETS) cpSync(join(root, asset), join(folder, asset))
