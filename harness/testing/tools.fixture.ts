// The programs and models that some tests need in addition to Node. Each is a tag; a test with the tag of a missing tool
// is skipped and reported, or fails with CI=true.
import { existsSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const BUNDLED_PATHS = ['/usr/sbin', '/usr/local/sbin']
const POSTGRES_VERSIONS = '/usr/lib/postgresql'
const CHAT_MODEL = join(root, 'models', 'SmolLM2-135M-Instruct.Q4_1.gguf')

function isOnPath(program: string): boolean {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...BUNDLED_PATHS]
  return folders.some((folder) => folder !== '' && existsSync(join(folder, program)))
}

function isPackage(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name)
    return true
  } catch {
    return false
  }
}

/**
 * A tool: the tag of the tests that need it, their subject, and how to get it. `isOptional` if CI does not install it, because
 * it is large or not a package.
 */
function tool(name: string, tests: string, get: string, isInstalled: () => boolean, isOptional = false) {
  return { name, tests, get, isInstalled, isOptional }
}

export type Tool = Readonly<ReturnType<typeof tool>>

const isSet = (variable: string): boolean => (process.env[variable] ?? '') !== ''

function isPostgresInstalled(): boolean {
  if (!existsSync(POSTGRES_VERSIONS)) return false
  const versions = readdirSync(POSTGRES_VERSIONS)
  return versions.some((version) => existsSync(join(POSTGRES_VERSIONS, version, 'bin', 'initdb')))
}

export const TOOLS: readonly Tool[] = [
  tool('chromium', 'pages in a browser', 'apt-get install chromium', () => existsSync('/usr/bin/chromium')),
  tool('postgresql', 'keys in PostgreSQL', 'apt-get install postgresql', isPostgresInstalled),
  tool('redis-server', 'limits shared through Redis', 'apt-get install redis-server', () =>
    isOnPath('redis-server'),
  ),
  tool('curl', 'the printed curl lines', 'apt-get install curl', () => isOnPath('curl')),
  tool('nginx', 'the balancer', 'apt-get install nginx', () => isOnPath('nginx')),
  tool('k6', 'load tests', 'put k6 on the PATH or set K6_BIN', () => isSet('K6_BIN') || isOnPath('k6')),
  tool('llama', 'inference', 'npm install with optional packages', () => isPackage('node-llama-cpp')),
  tool(
    'chat-model',
    'a real chat model',
    'npx touchstone model',
    () => existsSync(process.env['CHAT_MODEL'] ?? CHAT_MODEL),
    true,
  ),
  tool(
    'llama-server',
    'the same answers as llama-server',
    'set LLAMA_SERVER_BIN, and npx touchstone model',
    () => isSet('LLAMA_SERVER_BIN') && existsSync(CHAT_MODEL),
    true,
  ),
]

export const missingTools: readonly Tool[] = TOOLS.filter(({ isInstalled }) => !isInstalled())

export function isSkipped(tool: Tool): boolean {
  return missingTools.includes(tool) && (process.env['CI'] !== 'true' || tool.isOptional)
}

/** A line such as `pages in a browser (chromium: apt-get install chromium)`. */
export function describeTool({ name, tests, get }: Tool): string {
  return `${tests} (${name}: ${get})`
}
