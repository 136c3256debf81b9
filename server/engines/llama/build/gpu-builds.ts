// The builds of llama.cpp for GPUs. `npm ci` omits them, since they take more space than all other packages together
// (`overrides` in package.json); `npx touchstone llama-gpu` installs them.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/** A package with a build for GPUs of this platform, in the version that fits node-llama-cpp. */
export interface GpuBuild {
  readonly name: string
  readonly version: string
  readonly isInstalled: boolean
}

/** The builds for a platform: none for macOS, whose only build uses the GPU. Throws if node-llama-cpp is not installed. */
export function gpuBuilds(
  platform: string = process.platform,
  architecture: string = process.arch,
): readonly GpuBuild[] {
  const folder = join(dirname(createRequire(import.meta.url).resolve('node-llama-cpp')), '..')
  const { optionalDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    optionalDependencies: Readonly<Record<string, string>>
  }
  const prefix = `@node-llama-cpp/${platform === 'win32' ? 'win' : platform}-${architecture}-`
  return Object.entries(optionalDependencies)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, version]) => ({ name, version, isInstalled: existsSync(join(folder, '..', name)) }))
}

/** The warning for `LLAMA_GPU=auto` if none of the builds is installed. */
export function missingBuildsLine(builds: readonly GpuBuild[]): string | undefined {
  if (builds.length === 0 || builds.some(({ isInstalled }) => isInstalled)) return undefined
  return 'LLAMA_GPU is auto, but no build for a GPU is installed: run npx touchstone llama-gpu'
}
