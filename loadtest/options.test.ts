// The command line is read into options; an error in it is reported in one line.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { withFlagTable } from '../harness/cli/flags.ts'
import { FLAGS } from './flags.ts'
import { readOptions } from './options.ts'
import { scenarios } from './judges/scenario-table.ts'

describe('readOptions', () => {
  it('reads a scenario and its flags', () => {
    const options = readOptions(['rate-limit', '--base-url', 'http://127.0.0.1:1/v1', '--limit', '5/2'])
    expect(options.scenario?.name).toBe('rate-limit')
    expect(options).toMatchObject({
      baseUrl: 'http://127.0.0.1:1',
      limit: { requests: 5, windowSeconds: 2 },
      algorithm: 'any',
      processes: 1,
    })
  })

  it.each([
    [[], /^expected a scenario, one of smoke, rate-limit.*; received no scenario$/],
    [['nothing'], /^expected a scenario.*; received 'nothing'$/],
    [['smoke', 'soak'], /^too many arguments.*soak/],
    [['smoke', '--limit', '5'], /^--limit: expected N\/SECONDS/],
    [['smoke', '--algorithm', 'guess'], /^--algorithm: expected any/],
    [['smoke', '--burst', '3'], /^--burst:/],
    [['smoke', '--processes', '0'], /^--processes:/],
    [['smoke', '--key', 'svc_sk_abcdefgh'], /^unknown option '--key'/],
    [['smoke', '--plan'], /expected --base-url too/],
    [['svc_sk_abcdefghijkl'], /^(?!.*abcdefghijkl)/],
  ])('refuses %j in one line', (args, message) => {
    expect(() => readOptions(args)).toThrow(message)
    expect(() => readOptions(args)).not.toThrow(/\n/)
  })

  it('names every scenario in its help', () => {
    const { help } = readOptions(['--help'])
    for (const { name, about } of scenarios)
      expect(help).toMatch(new RegExp(`^  ${name} +${about.slice(0, 20)}`, 'm'))
  })
})

it('the table of flags in docs/loadtest.md is up to date (`npm run flags`)', () => {
  const page = readFileSync(new URL('../docs/loadtest.md', import.meta.url), 'utf8')
  expect(page).toBe(withFlagTable(page, FLAGS))
})

describe('the command', () => {
  const cli = fileURLToPath(new URL('cli.ts', import.meta.url))
  const run = (args: readonly string[], env: Record<string, string>) =>
    promisify(execFile)(process.execPath, [cli, ...args], { env }).then(
      () => ({ code: 0, stderr: '' }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
    )

  it('ends with 2 and one line where there is no k6', async () => {
    const { code, stderr } = await run(['smoke'], { PATH: '/nowhere' })
    expect(code).toBe(2)
    expect(stderr).toMatch(/^loadtest: k6 was not found: [^\n]*\n$/)
  })

  it('ends with 2 and one line where the limit of the keys is not given', async () => {
    const { code, stderr } = await run(['rate-limit', '--base-url', 'http://127.0.0.1:1'], {})
    expect(code).toBe(2)
    expect(stderr).toMatch(/^loadtest: rate-limit: --limit [^\n]*\n$/)
  })
})
