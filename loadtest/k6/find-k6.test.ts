// k6 is found through K6_BIN, else on the PATH, else built by Go; otherwise an error of one line explains how to get it.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'
import { findK6, HOW_TO_GET_K6 } from './find-k6.ts'

const folder = temporaryFolder()

/** Writes a program that prints this text; returns its folder. */
function program(name: string, prints: string, place: string): string {
  const path = join(folder, place)
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, name), `#!/bin/sh\necho '${prints}'\n`, { mode: 0o755 })
  return path
}

const path = program('k6', 'k6 v2.2.0 (go1.26, linux/amd64)', 'path')
const places = {
  path,
  named: program('my-k6', 'my-k6 v1.8.1 (go1.26, linux/amd64)', 'named'),
  old: program('k6', 'k6 v0.49.0 (go1.20, linux/amd64)', 'old'),
  other: program('k6', 'a game', 'other'),
  go: program('go', join(path, 'k6'), 'go'),
}

const find = (env: Record<string, string>) => findK6(env, () => undefined)

it('takes K6_BIN before anything on the PATH', async () => {
  const K6_BIN = join(places.named, 'my-k6')
  expect(await find({ K6_BIN, PATH: places.path })).toEqual({ path: K6_BIN, version: 'v1.8.1' })
})

it('names the missing program of K6_BIN', async () => {
  await expect(find({ K6_BIN: join(folder, 'none'), PATH: places.path })).rejects.toThrow(/^K6_BIN: .*none$/)
})

it('takes the first k6 of the PATH', async () => {
  const PATH = `${folder}:${places.path}:${places.old}`
  expect(await find({ PATH })).toEqual({ path: join(places.path, 'k6'), version: 'v2.2.0' })
})

it('takes the build of Go if the PATH has none', async () => {
  expect(await find({ PATH: `${places.go}` })).toEqual({ path: join(places.path, 'k6'), version: 'v2.2.0' })
})

it('refuses a k6 that cannot run TypeScript, and another program of that name', async () => {
  await expect(find({ PATH: places.old })).rejects.toThrow(/v0\.49\.0.*v1\.0\.0/)
  await expect(find({ PATH: places.other })).rejects.toThrow(/does not print its version/)
})

it('explains in one line how to get it if there is neither k6 nor Go', async () => {
  await expect(find({ PATH: folder })).rejects.toThrow(HOW_TO_GET_K6)
  expect(HOW_TO_GET_K6).not.toContain('\n')
})
