// The programs and models that some tests need in addition to Node. Each is a tag; a test with the tag of a missing tool
// is skipped and reported, or fails with CI=true.
import { existsSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'

export interface Tool {
  /** The tag of the tests that need it. */
  readonly name: string
  /** The subject of those tests. */
  readonly tests: string
  /** How to get it. */
  readonly get: string
  readonly isInstalled: () => boolean
  /** True if CI does not install it, because it is large or not a package. */
  readonly isOptional?: boolean
}

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

export const TOOLS: readonly Tool[] = [
  {
    name: 'chromium',
    tests: 'pages in a browser',
    get: 'apt-get install chromium',
    isInstalled: () => existsSync('/usr/bin/chromium'),
  },
  {
    name: 'postgresql',
    tests: 'keys in PostgreSQL',
    get: 'apt-get install postgresql',
    isInstalled: () =>
      existsSync(POSTGRES_VERSIONS) &&
      readdirSync(POSTGRES_VERSIONS).some((version) =>
        existsSync(join(POSTGRES_VERSIONS, version, 'bin', 'initdb')),
      ),
  },
  {
    name: 'redis-server',
    tests: 'limits shared through Redis',
    get: 'apt-get install redis-server',
    isInstalled: () => isOnPath('redis-server'),
  },
  {
    name: 'nginx',
    tests: 'the balancer',
    get: 'apt-get install nginx',
    isInstalled: () => isOnPath('nginx'),
  },
  {
    name: 'k6',
    tests: 'load tests',
    get: 'put k6 on the PATH or set K6_BIN',
    isInstalled: () => (process.env['K6_BIN'] ?? '') !== '' || isOnPath('k6'),
  },
  {
    name: 'llama',
    tests: 'inference',
    get: 'npm install with optional packages',
    isInstalled: () => isPackage('node-llama-cpp'),
  },
  {
    name: 'chat-model',
    tests: 'a real chat model',
    get: 'npm run model',
    isInstalled: () => existsSync(process.env['CHAT_MODEL'] ?? CHAT_MODEL),
    isOptional: true,
  },
  {
    name: 'openai-python',
    tests: 'conversations of openai for Python',
    get: 'fixtures/clients/install.sh openai-python',
    isInstalled: () =>
      existsSync(join(root, 'fixtures', 'clients', '.installed', 'openai-python', 'bin', 'python')),
    isOptional: true,
  },
  {
    name: 'llama-server',
    tests: 'the same answers as llama-server',
    get: 'set LLAMA_SERVER_BIN, and npm run model',
    isInstalled: () => (process.env['LLAMA_SERVER_BIN'] ?? '') !== '' && existsSync(CHAT_MODEL),
    isOptional: true,
  },
]

/** The tools that are not installed. */
export const missingTools: readonly Tool[] = TOOLS.filter(({ isInstalled }) => !isInstalled())

/** Whether tests that need this tool are skipped. */
export function isSkipped(tool: Tool): boolean {
  return missingTools.includes(tool) && (process.env['CI'] !== 'true' || tool.isOptional === true)
}

/** For example `pages in a browser (chromium: apt-get install chromium)`. */
export function describeTool({ name, tests, get }: Tool): string {
  return `${tests} (${name}: ${get})`
}
