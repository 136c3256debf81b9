// Tries the compiled llama.cpp on a model of each type of weights: it may have been given instructions that this
// processor does not have, which shows only when one is executed.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const TRY = join(import.meta.dirname, 'try-model.ts')
const WRITE = join(import.meta.dirname, '../../../../fixtures/tiny-model/quantised-model.ts')

/** Maximum time to try one type, in milliseconds. */
const TIMEOUT_MS = 60_000

/**
 * Returns the types on which the library fails, each with the failure. Default: all types and the compiled library;
 * `prebuilt` tries the library of node-llama-cpp.
 */
export function tryBuild({
  prebuilt = false,
  types,
}: { prebuilt?: boolean; types?: readonly string[] } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'touchstone-'))
  const write = (...args: readonly string[]): string =>
    execFileSync(process.execPath, [WRITE, ...args], { encoding: 'utf8' })
  try {
    return (types ?? write().trim().split('\n')).flatMap((type) => {
      const file = join(folder, `${type}.gguf`)
      write(type, file)
      const args = [TRY, file, ...(prebuilt ? ['prebuilt'] : [])]
      const options = { encoding: 'utf8', timeout: TIMEOUT_MS } as const
      const { status, signal, stderr } = spawnSync(process.execPath, args, options)
      return status === 0 ? [] : [`${type}: ${signal ?? stderr.trim().split('\n').at(-1) ?? ''}`]
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
