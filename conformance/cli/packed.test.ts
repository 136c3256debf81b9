// The package runs outside this repository: installed without the optional parts, by its name, as a function, and with its
// own server.
import { execFile } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { KEY, startService } from './cli.fixture.ts'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'

const root = join(import.meta.dirname, '..', '..')
const execute = promisify(execFile)

/** Packing compiles, and installing asks the registry: half a minute. */
describe('an installed package', { tags: 'slow' }, () => {
  const folder = temporaryFolder()
  const clean = Object.entries(process.env).filter(([name]) => !/^(CONFORMANCE_|npm_|NODE_ENV$)/.test(name))
  const programs = join(folder, 'node_modules', '.bin')
  const PATH = [programs, dirname(process.execPath), process.env['PATH']].join(delimiter)
  const env = { ...Object.fromEntries(clean), PATH, CONFORMANCE_API_KEY: KEY }

  const command = async (program: string, ...args: readonly string[]) => {
    try {
      return { code: 0, ...(await execute(program, args, { cwd: folder, env, maxBuffer: 2 ** 26 })) }
    } catch (error) {
      // The rejection of `execFile` contains the output.
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
      return { code, stdout, stderr }
    }
  }
  const touchstone = (...args: readonly string[]) => command(join(programs, 'touchstone'), ...args)

  beforeAll(async () => {
    const packed = mkdtempSync(join(folder, 'packed-'))
    await execute('npm', ['pack', '--pack-destination', packed], { cwd: root, env })
    writeFileSync(join(folder, 'package.json'), '{"name":"empty","private":true}')
    const [tarball = ''] = (await execute('ls', [packed])).stdout.trim().split('\n')
    // The cache has the packages that are installed here; a silent registry gets the request again after the timeout.
    const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--fetch-timeout=30000']
    const installed = await command('npm', 'install', ...flags, join(packed, tarball))
    if (installed.code !== 0) throw new Error(`npm install ended with ${installed.code}: ${installed.stderr}`)
  }, 300_000)

  test('brings nothing that the server alone needs, and no source that Node would refuse', () => {
    const { dependencies, optionalDependencies } = JSON.parse(
      readFileSync(join(root, 'server', 'package.json'), 'utf8'),
    )
    const names = Object.keys({ ...dependencies, ...optionalDependencies })
    expect(names).toEqual(expect.arrayContaining(['node', 'node-llama-cpp', 'pg']))
    expect(names.filter((name) => existsSync(join(folder, 'node_modules', name)))).toEqual([])
    expect(existsSync(join(folder, 'node_modules', 'touchstone', 'conformance'))).toBe(false)
  })

  test('says what it is, under the name that it is called by', async () => {
    expect((await command('npx', '--no-install', 'touchstone', '--version')).stdout).toMatch(
      /^touchstone \d+\.\d+\.\d+, catalogue \d+\n$/,
    )
    expect((await touchstone('--help')).stdout).toMatch(/^Usage: npx touchstone \[COMMAND\]/)
    expect((await touchstone('list')).stdout).toMatch(/\d{3} checks of/)
  })

  test('judges a service, and ends with the verdict', async () => {
    for (const [answer, code] of [
      ['missing_api_key', 0],
      ['invalid_api_key', 1],
    ] as const) {
      await using service = await startService(answer)
      const judged = await touchstone('--base-url', service.baseUrl, '--only', 'auth.missing-header-models')
      expect(judged.code).toBe(code)
      if (code === 1) expect(judged.stdout).toContain(`npx touchstone --base-url ${service.baseUrl} --only`)
    }
  })

  test('judges the server that comes with it', async () => {
    const only = 'AUTH-*,MODEL-*,CHAT-*,invalid-bodies.*'
    const { code, stdout } = await touchstone('--only', only, '--runs', '5')
    expect([code, stdout]).toEqual([0, expect.stringMatching(/PASS {2}\d+ of \d+ MUST judged/)])
  })

  test('names the package that a setting of its server needs', async () => {
    const server = join(folder, 'node_modules', 'touchstone', 'dist', 'server', 'main.js')
    const started = await command(
      process.execPath,
      '--eval',
      `
      process.env.METRICS_PORT = '0'
      process.env.DATA_DIR = ${JSON.stringify(join(folder, 'data'))}
      process.argv = [process.argv[0], ${JSON.stringify(server)}]
      import(${JSON.stringify(server)})`,
    )
    expect(started).toMatchObject({ code: 2, stdout: '' })
    expect(started.stderr).toContain('a setting needs the package prom-client: run npm install prom-client')
  })

  test('has types that compile strictly, with those of Node 22 too', async () => {
    const types = join(folder, 'types')
    mkdirSync(types)
    const program = `
      import { type ConformanceOptions, type Report, runConformance } from 'touchstone'
      import { runClientConformance } from 'touchstone/client'
      import { retryingFetch } from 'touchstone/retrying-fetch'
      const options: ConformanceOptions = { baseUrl: 'http://127.0.0.1:1', only: 'AUTH-*' }
      export const reports: Promise<Report>[] = [runConformance(options), runClientConformance({ command: ['true'] })]
      export const get: typeof fetch = retryingFetch()`
    writeFileSync(join(types, 'program.ts'), program)
    const installed = await command(
      'npm',
      'install',
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--prefer-offline',
      '@types/node@22',
    )
    expect(installed.code).toBe(0)
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const flags = [
      '--strict',
      '--noEmit',
      '--module',
      'nodenext',
      '--target',
      'es2024',
      '--lib',
      'es2025,esnext.disposable,dom',
      '--types',
      'node',
    ]
    const { code, stdout } = await command(process.execPath, compiler, ...flags, join(types, 'program.ts'))
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  })

  test('has the JSON schemas of what it writes, and no file without an entry', async () => {
    const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    const names = Object.keys(exports).flatMap((name) => /^\.\/schemas\/(.+)$/.exec(name)?.[1] ?? [])
    expect(names).toEqual(['bundle.json', 'puppet.json', 'recording.json', 'report.json', 'results.json'])
    const program = names
      .map((name) => `import '${`touchstone/schemas/${name}`}' with { type: 'json' }`)
      .concat(
        "import schema from 'touchstone/schemas/report.json' with { type: 'json' }",
        'console.log(schema.title)',
      )
    const { stdout } = await command(process.execPath, '--input-type=module', '--eval', program.join('\n'))
    expect(stdout).toBe('touchstone.report/1\n')
    const installed = globSync('**/*', { cwd: join(folder, 'node_modules', 'touchstone') })
    expect(
      installed.filter((path) => /\.test\.|\.fixture\.|loadtest\/bench|\.md$|\.png$/.test(path)),
    ).toEqual(['README.md'])
  })

  test('has the faulty servers too', async () => {
    const { code } = await touchstone('mutants', '--only', 'auth-accepts-bare-key')
    expect(code).toBe(0)
  })

  test('is a function for programs', async () => {
    await using service = await startService()
    const program = `
      import { runConformance } from 'touchstone'
      const apiKey = process.env.CONFORMANCE_API_KEY
      const options = { baseUrl: '${service.baseUrl}', apiKey, only: 'auth.missing-header-models' }
      const { schema, exitCode } = await runConformance(options)
      console.log(schema, exitCode)`
    const { stdout } = await command(process.execPath, '--input-type=module', '--eval', program)
    expect(stdout).toBe('touchstone.report/1 0\n')
  })

  test('serves, and is a list of tests for a test runner, on the oldest Node that it names', async () => {
    const own = mkdtempSync(join(folder, 'node-22-'))
    writeFileSync(join(own, 'package.json'), '{"name":"node-22","private":true}')
    const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--prefix', own]
    expect((await command('npm', 'install', ...flags, 'node@22')).code).toBe(0)
    writeFileSync(
      join(folder, 'service.test.mjs'),
      `
      import { after, test } from 'node:test'
      import { checks } from 'touchstone'
      import { serve } from 'touchstone/serve'
      const { baseUrl, apiKey, close } = await serve()
      for (const check of await checks({ baseUrl, apiKey, only: 'AUTH-*,chat.*', runs: 1, allowIncomplete: true }))
        test(check.title, () => check.run())
      after(close)`,
    )
    const node = join(own, 'node_modules', 'node', 'bin', 'node')
    const { code, stdout, stderr } = await command(
      node,
      '--test',
      '--test-reporter=tap',
      join(folder, 'service.test.mjs'),
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^# Subtest: AUTH-3 /m)
    expect(stdout).toMatch(/^# fail 0$/m)
  })

  test('judges a client, and helps it to retry', async () => {
    const call = join(folder, 'call.mjs')
    const lines = [
      "import { retryingFetch } from 'touchstone/retrying-fetch'",
      'const { OPENAI_BASE_URL: base, OPENAI_API_KEY: key, TOUCHSTONE_REQUEST: body } = process.env',
      "const headers = { authorization: 'Bearer ' + key, 'content-type': 'application/json' }",
      "const answer = await retryingFetch()(base + '/chat/completions', { method: 'POST', headers, body })",
      'if (answer.status !== 200) process.exit(1)',
      'console.log((await answer.json()).choices[0].message.content)',
    ]
    writeFileSync(call, lines.join('\n'))
    const options = { command: [process.execPath, call], only: 'RETRY-2,call.same-body' }
    const program = `
      import { runClientConformance } from 'touchstone/client'
      const { subject, exitCode } = await runClientConformance(${JSON.stringify(options)})
      console.log(subject, exitCode)`
    const judged = await command(process.execPath, '--input-type=module', '--eval', program)
    expect(judged.stdout).toBe('client 0\n')
  })
})
