import { spawnSync } from 'node:child_process'
import { globSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from './temporary-folder.fixture.ts'

const script = join(import.meta.dirname, 'prune-installation.js')
const here = `${process.platform === 'darwin' ? 'mac' : process.platform}-${process.arch}`

test('keeps the program of Node, the builds for this processor, and code', () => {
  const folder = temporaryFolder()
  const kept = [
    'node/node_modules/node-x/bin',
    `@node-llama-cpp/${here}`,
    `@node-llama-cpp/${here}-cuda`,
    'node-llama-cpp/llama/addon',
    'a/b/c.map.js',
  ]
  const removed = [
    'node/node_modules/node-x/include',
    '@node-llama-cpp/linux-armv9',
    `@node-llama-cpp/${here}v9`,
    'node-llama-cpp/llama/gitRelease.bundle',
    'a/b/c.js.map',
    'a/b/c.d.mts.map',
  ]
  for (const path of [...kept, ...removed]) mkdirSync(join(folder, path), { recursive: true })
  expect(spawnSync(process.execPath, [script, folder]).status).toBe(0)
  const left = globSync(['node/node_modules/*/*', '@node-llama-cpp/*', '{node-llama-cpp,a}/*/*'], {
    cwd: folder,
  })
  expect(left.toSorted()).toEqual(kept.toSorted())
})

test('an installation without these packages stays as it is', () => {
  expect(spawnSync(process.execPath, [script, temporaryFolder()]).status).toBe(0)
})
