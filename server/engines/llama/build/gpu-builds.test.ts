import { expect, test } from 'vitest'
import packageJson from '../../../../package.json' with { type: 'json' }
import { gpuBuilds, missingBuildsLine } from './gpu-builds.ts'

const namesFor = (...platform: [string, string]): string[] => gpuBuilds(...platform).map(({ name }) => name)

test('each platform has its builds for GPUs, and npm ci installs none of them', { tags: 'llama' }, () => {
  const builds = [...namesFor('linux', 'x64'), ...namesFor('win32', 'x64')]
  expect(builds).toHaveLength(6)
  expect(Object.keys(packageJson.overrides['node-llama-cpp'])).toEqual(expect.arrayContaining(builds))
  expect(namesFor('darwin', 'arm64')).toEqual([])
})

test('LLAMA_GPU=auto without a build names the command that installs one', () => {
  const build = { name: 'cuda', version: '1.0.0', isInstalled: false }
  expect(missingBuildsLine([build])).toContain('npx touchstone llama-gpu')
  expect(missingBuildsLine([build, { ...build, isInstalled: true }])).toBeUndefined()
  expect(missingBuildsLine([])).toBeUndefined()
})
