// Builds the JavaScript of the package, because Node does not run TypeScript under node_modules. Only `npm pack` needs it.
// `node build.ts [FOLDER]` writes to FOLDER, by default `dist`.
import { execFileSync } from 'node:child_process'
import { cpSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'

/** Files that the modules read, at the same relative paths as in the sources. */
const ASSETS = [
  'openapi.json',
  'fixtures/tiny-model/svc-0.1-tiny.gguf',
  'loadtest/go.mod',
  'loadtest/go.sum',
  'loadtest/adapters',
]

const root = import.meta.dirname
const folder = resolve(process.argv[2] ?? join(root, 'dist'))
const compiler = join(pathOf('typescript'), 'bin', 'tsc')
// The compiler itself is an optional package of each platform.
pathOf(`@typescript/typescript-${process.platform}-${process.arch}`)

rmSync(folder, { recursive: true, force: true })
execFileSync(
  process.execPath,
  [compiler, '--project', join(root, 'tsconfig.build.json'), '--outDir', folder],
  {
    stdio: 'inherit',
  },
)
for (const asset of ASSETS) cpSync(join(root, asset), join(folder, asset), { recursive: true })

/** The folder of a package. Without it, one line says how to install it. */
function pathOf(name: string): string {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))
  } catch {
    console.error(`build: ${name} is not installed: run npm ci without --omit`)
    process.exit(1)
  }
}
