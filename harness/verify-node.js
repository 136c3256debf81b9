// Compares the Node that npm installed with the digests below, after every `npm ci`. The package `node` downloads the
// program for the platform in its install script, so that package-lock.json has no digest of it. The Node that runs npm runs
// this file: npm puts the installed Node before it on the PATH, and a program cannot vouch for itself.
import { createHash } from 'node:crypto'
import { readFileSync, realpathSync } from 'node:fs'
import { join } from 'node:path'

/** SHA-256 of the program in each platform's package, of the version that package.json names. */
const DIGESTS = {
  'linux-arm64': '0f8949d1028f6d61506b2d5bc57e7e6fe893d7b1997509b7847294fc9c616584',
  'linux-x64': '7fde7b8afa198da66257f42ee2001d874c7355631e6d1579a5fb5ef1f246df4c',
  'win32-x64': 'ba4e6d110e8c1592a1ecd390f6b05f3da124b13871a5be62b341a07a853c6c32',
}

const name = process.platform === 'win32' ? 'node.exe' : 'node'
const [program = join(import.meta.dirname, '..', 'node_modules', 'node', 'bin', name)] = process.argv.slice(2)
const platform = `${process.platform}-${process.arch}`
const expected = DIGESTS[platform]
const actual = createHash('sha256')
  .update(readFileSync(realpathSync(program)))
  .digest('hex')
if (actual !== expected) {
  const known = expected ?? `one that is listed for ${platform}`
  console.error(`verify-node: ${program} has SHA-256 ${actual}, expected ${known}. Do not run it.`)
  process.exitCode = 1
}
