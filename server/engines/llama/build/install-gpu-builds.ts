// Installs the builds of llama.cpp for the GPUs of this platform: `npx touchstone llama-gpu`. The next `npm ci` removes them.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { isLlamaInstalled } from '../llama.ts'
import { gpuBuilds } from './gpu-builds.ts'

const root = join(import.meta.dirname, '../../../..')

if (!isLlamaInstalled()) {
  console.error('node-llama-cpp is not installed: run npm ci without --omit=optional')
  process.exitCode = 1
} else {
  const missing = gpuBuilds().filter(({ isInstalled }) => !isInstalled)
  if (missing.length === 0) console.log(`Nothing to install for ${process.platform}-${process.arch}`)
  else install(missing.map(({ name, version }) => `${name}@${version}`))
}

function install(packages: readonly string[]): void {
  console.log(`npm installs ${packages.join(', ')}`)
  const flags = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund']
  // A shell, because npm is a command file on Windows. The names come from the manifest of node-llama-cpp.
  const { status } = spawnSync('npm', ['install', ...flags, ...packages], {
    cwd: root,
    stdio: 'inherit',
    shell: true,
  })
  process.exitCode = status ?? 1
}
