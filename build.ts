// Makes the JavaScript of a package: Node runs no TypeScript under node_modules. Here nothing needs it.
// `node build.ts [FOLDER]` writes to `dist` unless told otherwise.
import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'

/** What the modules read beside each other, at the same place as among the sources. */
const ASSETS = ['openapi.json', 'fixtures/tiny-model/svc-0.1-tiny.gguf']

const root = import.meta.dirname
const folder = resolve(process.argv[2] ?? join(root, 'dist'))
const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '..', 'bin', 'tsc')

rmSync(folder, { recursive: true, force: true })
execFileSync(process.execPath, [tsc, '--project', join(root, 'tsconfig.build.json'), '--outDir', folder], {
  stdio: 'inherit',
})
for (const asset of ASSETS) cpSync(join(root, asset), join(folder, asset))
