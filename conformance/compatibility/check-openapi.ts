// `npm run openapi:check`: a linter finds nothing in openapi.json, and each client that is generated from it gets an
// answer. The tools, pinned in fixtures/openapi-clients, are installed once for each set of versions into the cache
// folder of the user, with Java. With --schemathesis, thousands of requests are derived from the document and their
// answers validated by it, which takes minutes.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withReferenceServer } from './environment.ts'

const root = join(import.meta.dirname, '..', '..')
const fixtures = join(root, 'fixtures', 'openapi-clients')
const document = join(root, 'openapi.json')
const execute = promisify(execFile)

/** Runs a command line in a shell. */
async function run(line: string, cwd: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  await execute('sh', ['-c', line], { cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 })
}

const VIRTUAL_ENVIRONMENT =
  'python3 -m venv --clear "$PYTHON" && "$PYTHON/bin/pip" install --quiet --requirement requirements.txt'

/** Installs the pinned tools, and returns their folder. */
async function install(): Promise<string> {
  const cache = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'touchstone')
  const pins = ['package.json', 'requirements.txt'].map((file) => readFileSync(join(fixtures, file)))
  const version = createHash('sha256').update(Buffer.concat(pins)).digest('hex').slice(0, 16)
  const folder = join(cache, `openapi-clients-${version}`)
  if (existsSync(folder)) return folder
  mkdirSync(cache, { recursive: true })
  // A virtual environment cannot be moved: it is made in place, and the renamed folder marks the installation as complete.
  const unfinished = join(cache, `openapi-clients-${version}.new`)
  rmSync(unfinished, { recursive: true, force: true })
  cpSync(fixtures, unfinished, { recursive: true })
  const python = join(cache, `openapi-clients-${version}-python`)
  await Promise.all([
    run('npm install --no-package-lock --no-audit --no-fund --ignore-scripts', unfinished),
    run(VIRTUAL_ENVIRONMENT, unfinished, { PYTHON: python }),
  ])
  renameSync(unfinished, folder)
  return folder
}

/** Examples of schemathesis for each operation, in addition to those that cover the document. */
const EXAMPLES = 300

const SCHEMATHESIS = [
  `schemathesis --config-file schemathesis.toml run "$DOCUMENT" --url "$BASE_URL" \\
    --header "Authorization: Bearer $API_KEY" --max-examples ${EXAMPLES} --continue-on-failure --no-color`,
]

/** The command lines that make each client, and send a request with it, in the folder of this run. */
const STEPS: Readonly<Record<string, readonly string[]>> = {
  spectral: ['spectral lint --fail-severity=hint --ruleset spectral.yaml "$DOCUMENT"'],
  'openapi-typescript': [
    'openapi-typescript "$DOCUMENT" --output schema.d.ts',
    'tsc --project tsconfig.json',
    '"$NODE" openapi-typescript.ts',
  ],
  'openapi-python-client': [
    'openapi-python-client generate --output-path opc --meta none --path "$DOCUMENT"',
    'python openapi_python_client.py',
  ],
  'datamodel-codegen': [
    `datamodel-codegen --input-file-type openapi --output models.py --formatters builtin \\
      --output-model-type pydantic_v2.BaseModel --input "$DOCUMENT"`,
    'python datamodel_codegen.py',
  ],
  'openapi-generator for Python': [
    'openapi-generator-cli generate -g python -i "$DOCUMENT" -o python',
    'PYTHONPATH=python python openapi_generator.py',
  ],
  'openapi-generator for TypeScript': [
    `openapi-generator-cli generate -g typescript-fetch -i "$DOCUMENT" -o generated \\
      --additional-properties=importFileExtension=.ts`,
    '"$NODE" --experimental-transform-types openapi-generator.ts',
  ],
}

const tools = await install()
// Inside the folder of the tools, so that programs find their packages.
const folder = mkdtempSync(join(tools, 'run-'))
try {
  cpSync(fixtures, folder, { recursive: true })
  await withReferenceServer(async (env) => {
    const bins = [join(tools, 'node_modules', '.bin'), join(`${tools}-python`, 'bin')]
    const PATH = [...bins, process.env['PATH']].join(':')
    const own = { ...env, PATH, DOCUMENT: document, NODE: process.execPath }
    const isThorough = process.argv.includes('--schemathesis')
    const chosen = isThorough ? { schemathesis: SCHEMATHESIS, ...STEPS } : STEPS
    const results = Object.entries(chosen).map(async ([name, lines]) => {
      try {
        for (const line of lines) await run(line, folder, own)
        process.stdout.write(`ok    ${name}\n`)
      } catch (error) {
        process.exitCode = 1
        const { stdout = '', stderr = '' } = Object(error)
        process.stdout.write(`FAIL  ${name}\n${String(error)}\n${String(stdout)}${String(stderr)}\n`)
      }
    })
    await Promise.all(results)
  })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
