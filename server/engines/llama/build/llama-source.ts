// The source of llama.cpp as the package node-llama-cpp carries it. The installation leaves it out, because only a build needs it.
import { type StdioOptions, execFileSync, execSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const SOURCE = 'llama/gitRelease.bundle'
const OUTPUT = ['ignore', 'ignore', 'inherit'] as const satisfies StdioOptions

/** Puts the source into the installed package, if it is not there. Throws `Error` if npm or tar fails. */
export function restoreSource(): void {
  const folder = join(dirname(createRequire(import.meta.url).resolve('node-llama-cpp')), '..')
  if (existsSync(join(folder, SOURCE))) return
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }
  console.log(`npm gets the source of llama.cpp: node-llama-cpp@${version}`)
  const packed = mkdtempSync(join(tmpdir(), 'touchstone-llama-'))
  try {
    // A shell, because npm is a command file on Windows. Its cache has the package since the installation.
    execSync(`npm pack node-llama-cpp@${version} --silent --prefer-offline`, { cwd: packed, stdio: OUTPUT })
    const archive = join(packed, `node-llama-cpp-${version}.tgz`)
    execFileSync('tar', ['-xzf', archive, '--strip-components=1', `package/${SOURCE}`], {
      cwd: folder,
      stdio: OUTPUT,
    })
  } finally {
    rmSync(packed, { recursive: true })
  }
}
