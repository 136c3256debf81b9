// `npm run build:binary`: one executable for Linux x64 with Node and the judge in it. Its text is one script with a code cache, so
// that it starts at once; its files are assets. It writes nothing to the disk when it runs.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { type Plugin, build } from 'rolldown'

/** The largest executable, in bytes. */
const MOST_BYTES = 140_000_000

/** Files that modules read, at their paths in the repository. */
const ASSETS = ['openapi.json', 'package.json']

/** The mark in Node for which postject looks. It is the same in every version. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

const root = join(import.meta.dirname, '..', '..')
const dist = join(root, 'dist')
const target = join(dist, 'touchstone-linux-x64')

/** Gives every module the address that it has in the repository, with `/` for the root of that, as `MODULES` of main.js has. */
const ownAddresses: Plugin = {
  name: 'own-addresses',
  transform(code, id) {
    const path = `/${relative(root, id).replace(/\.ts$/, '.js')}`
    if (path.startsWith('/node_modules/') || !code.includes('import.meta.')) return undefined
    const values: Readonly<Record<string, string>> = {
      url: JSON.stringify(`file://${path}`),
      filename: JSON.stringify(path),
      dirname: JSON.stringify(path.slice(0, path.lastIndexOf('/'))),
      resolve: "((name) => name.replace(/^touchstone/, 'file://'))",
      main: 'false',
    }
    return code.replaceAll(/\bimport\.meta\.(\w+)/g, (all, name: string) => values[name] ?? all)
  },
}

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.error(`build:binary: expected Linux x64, received ${process.platform} ${process.arch}`)
  process.exit(2)
}
mkdirSync(dist, { recursive: true })
const folder = mkdtempSync(join(dist, 'binary-'))
try {
  await buildIn(folder)
} finally {
  rmSync(folder, { recursive: true })
}

async function buildIn(folder: string): Promise<void> {
  const main = join(folder, 'main.cjs')
  await build({
    input: join(import.meta.dirname, 'main.js'),
    platform: 'node',
    plugins: [ownAddresses],
    // Not in the executable; what needs them says so.
    external: [/^node:/, 'node-llama-cpp', 'pg-native', /lab\/mutants/],
    // The names of functions and classes are kept: stacks and error names have them.
    output: {
      file: main,
      format: 'cjs',
      codeSplitting: false,
      minify: { mangle: false, compress: false, codegen: true },
    },
  })
  const blob = join(folder, 'blob')
  const config = join(folder, 'config.json')
  const assets = Object.fromEntries(ASSETS.map((path) => [path, join(root, path)]))
  writeFileSync(
    config,
    JSON.stringify({
      // Without the folder, stacks do not show where it was built.
      main: 'main.cjs',
      output: blob,
      assets: { ...assets, 'main.cjs': main },
      useCodeCache: true,
      disableExperimentalSEAWarning: true,
    }),
  )
  run(folder, process.execPath, '--experimental-sea-config', config)
  const binary = join(folder, 'touchstone')
  copyFileSync(process.execPath, binary)
  // Names for a debugger are a tenth of it.
  run(folder, 'strip', binary)
  const postject = join(createRequire(import.meta.url).resolve('postject'), '..', 'cli.js')
  run(folder, process.execPath, postject, binary, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', FUSE)
  const { size } = statSync(binary)
  if (size > MOST_BYTES) throw new Error(`the executable has ${size} bytes, expected at most ${MOST_BYTES}`)
  renameSync(binary, target)
  console.log(`${relative(process.cwd(), target)}  ${(size / 1e6).toFixed(0)} MB, Node ${process.version}`)
}

/** Runs a program; its output is shown only if it fails. */
function run(folder: string, program: string, ...args: readonly string[]): void {
  const { error, status, stdout, stderr } = spawnSync(program, args, { cwd: folder })
  if (error !== undefined) throw new Error(`${program} cannot be run (${error.message}): install binutils`)
  if (status !== 0) throw new Error(`${program} ended with ${status}\n${stdout}${stderr}`)
}
