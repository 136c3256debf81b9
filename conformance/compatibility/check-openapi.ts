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

type Words = readonly [program: string, ...string[]]

async function run([program, ...args]: Words, cwd: string, env: Readonly<Record<string, string>> = {}) {
  await execute(program, args, { cwd, env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 })
}

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
    run(['npm', 'install', '--no-package-lock', '--no-audit', '--no-fund', '--ignore-scripts'], unfinished),
    run(['python3', '-m', 'venv', '--clear', python], cache).then(() =>
      run(
        [join(python, 'bin', 'pip'), 'install', '--quiet', '--requirement', 'requirements.txt'],
        unfinished,
      ),
    ),
  ])
  renameSync(unfinished, folder)
  return folder
}

interface Step {
  readonly name: string
  /** The commands that make the client, in the folder of this run. */
  readonly make: readonly Words[]
  readonly send: Words | undefined
}

/** Examples of schemathesis for each operation, in addition to those that cover the document. */
const EXAMPLES = 300

/** The words of a command line without quotes. */
function split(line: string): readonly string[] {
  return line.split(' ')
}

function stepsOf(tools: string): readonly Step[] {
  const node = (name: string) => join(tools, 'node_modules', '.bin', name)
  const python = (name: string) => join(`${tools}-python`, 'bin', name)
  const openApiGenerator = (generator: string, out: string, ...more: readonly string[]): Words => [
    python('openapi-generator-cli'),
    ...split(`generate -g ${generator} -i`),
    document,
    ...split(`-o ${out}`),
    ...more,
  ]
  const schemathesis: Step = {
    name: 'schemathesis',
    make: [],
    send: [
      'sh',
      '-c',
      `"$0" --config-file schemathesis.toml run "$1" --url "$BASE_URL" --header "Authorization: Bearer $API_KEY" \\
        --max-examples ${EXAMPLES} --continue-on-failure --no-color`,
      python('schemathesis'),
      document,
    ],
  }
  return [
    ...(process.argv.includes('--schemathesis') ? [schemathesis] : []),
    {
      name: 'spectral',
      make: [[node('spectral'), 'lint', '--fail-severity=hint', '--ruleset', 'spectral.yaml', document]],
      send: undefined,
    },
    {
      name: 'openapi-typescript',
      make: [
        [node('openapi-typescript'), document, '--output', 'schema.d.ts'],
        [node('tsc'), '--project', 'tsconfig.json'],
      ],
      send: [process.execPath, 'openapi-typescript.ts'],
    },
    {
      name: 'openapi-python-client',
      make: [
        [
          python('openapi-python-client'),
          ...split('generate --output-path opc --meta none --path'),
          document,
        ],
      ],
      send: [python('python'), 'openapi_python_client.py'],
    },
    {
      name: 'datamodel-codegen',
      make: [
        [
          python('datamodel-codegen'),
          ...split('--input-file-type openapi --output models.py --formatters builtin'),
          ...split('--output-model-type pydantic_v2.BaseModel --input'),
          document,
        ],
      ],
      send: [python('python'), 'datamodel_codegen.py'],
    },
    {
      name: 'openapi-generator for Python',
      make: [openApiGenerator('python', 'python')],
      send: [python('python'), 'openapi_generator.py'],
    },
    {
      name: 'openapi-generator for TypeScript',
      make: [
        openApiGenerator('typescript-fetch', 'generated', '--additional-properties=importFileExtension=.ts'),
      ],
      send: [process.execPath, '--experimental-transform-types', 'openapi-generator.ts'],
    },
  ]
}

const tools = await install()
// Inside the folder of the tools, so that programs find their packages.
const folder = mkdtempSync(join(tools, 'run-'))
try {
  cpSync(fixtures, folder, { recursive: true })
  await withReferenceServer(async (env) => {
    const results = stepsOf(tools).map(async ({ name, make, send }) => {
      const own = { ...env, PYTHONPATH: [folder, join(folder, 'python')].join(':') }
      try {
        for (const words of make) await run(words, folder)
        if (send !== undefined) await run(send, folder, own)
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
