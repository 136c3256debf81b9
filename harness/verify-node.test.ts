import { spawnSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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

test('npm runs the comparison after each installation', () => {
  expect(packageJson.scripts.prepare).toMatch(/^node harness\/verify-node\.js\b/)
})
