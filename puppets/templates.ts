// The chat templates of the families, from the source of llama.cpp. None is in this repository.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Returns the text of a template, unchanged. */
export type Templates = (name: string) => string

/** The templates cannot be had; the message says how. */
export class TemplatesError extends Error {
  override readonly name = 'TemplatesError'
}

const PLACE = 'models/templates'
const BUNDLE = 'llama/gitRelease.bundle'

/**
 * The templates of a folder, or of the source of llama.cpp that node-llama-cpp carries. If this is missing, npm packs
 * the same version, from its cache if it can. Needs git.
 */
export function readTemplates(folder: string | undefined): Templates {
  if (folder !== undefined) return (name) => read(join(folder, name))
  const scratch = mkdtempSync(join(tmpdir(), 'touchstone-'))
  try {
    const repository = join(scratch, 'llama.cpp')
    const git = (...args: readonly string[]): Buffer => execFileSync('git', args, { stdio: 'pipe' })
    git('clone', '--quiet', '--no-checkout', bundleIn(scratch), repository)
    git('-C', repository, 'checkout', '--quiet', 'HEAD', '--', PLACE)
    const place = join(repository, PLACE)
    const texts = new Map(readdirSync(place).map((name) => [name, readFileSync(join(place, name), 'utf8')]))
    return (name) => {
      const text = texts.get(name)
      if (text === undefined) throw new TemplatesError(`the source of llama.cpp has no template ${name}`)
      return text
    }
  } catch (error) {
    if (error instanceof TemplatesError) throw error
    throw new TemplatesError(
      'the chat templates could not be read from the source of llama.cpp: git and the package node-llama-cpp are needed, or --templates FOLDER',
      { cause: error },
    )
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new TemplatesError(`--templates: ${file} cannot be read`, { cause: error })
  }
}

function bundleIn(scratch: string): string {
  const library = join(dirname(createRequire(import.meta.url).resolve('node-llama-cpp')), '..')
  const bundle = join(library, BUNDLE)
  if (existsSync(bundle)) return bundle
  const { version } = JSON.parse(readFileSync(join(library, 'package.json'), 'utf8')) as { version: string }
  execFileSync('npm', ['pack', '--silent', '--prefer-offline', `node-llama-cpp@${version}`], {
    cwd: scratch,
    stdio: 'pipe',
  })
  execFileSync('tar', ['xzf', `node-llama-cpp-${version}.tgz`, `package/${BUNDLE}`], {
    cwd: scratch,
    stdio: 'pipe',
  })
  return join(scratch, 'package', BUNDLE)
}
