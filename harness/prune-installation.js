// Removes the parts of packages that this project does not use, after every `npm ci`: the headers of Node; the builds of llama.cpp for
// another processor, which npm installs because their packages allow this one too; its source, which `npm run llama:build` gets when it
// needs it; and source maps.
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const [packages = join(import.meta.dirname, '..', 'node_modules')] = process.argv.slice(2)
const node = join(packages, 'node', 'node_modules')
const llama = join(packages, '@node-llama-cpp')
const platform =
  process.platform === 'win32' ? 'win' : process.platform === 'darwin' ? 'mac' : process.platform

for (const name of entriesOf(node)) remove(node, name, 'include')
for (const name of entriesOf(llama))
  if (!`${name}-`.startsWith(`${platform}-${process.arch}-`)) remove(llama, name)
remove(packages, 'node-llama-cpp', 'llama', 'gitRelease.bundle')
for (const { name, parentPath } of readdirSync(packages, { recursive: true, withFileTypes: true }))
  if (/\.[cm]?[jt]s\.map$/.test(name)) remove(parentPath, name)

/** @param {string} folder */
function entriesOf(folder) {
  try {
    return readdirSync(folder)
  } catch {
    // The package is optional, or was omitted.
    return []
  }
}

/** @param {string[]} path */
function remove(...path) {
  rmSync(join(...path), { recursive: true, force: true })
}
