// The command line says what is missing, and records only pairs that are complete.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { USE_IDS } from '../results/pair-entry.ts'
import { readRecipe, recipeNames } from '../results/recipes/recipe.ts'
import { root } from '../results/recipes/recipe-process.ts'
import { readOptions } from './pairs-flags.ts'

test('clients and servers are lists, and every use is tried', () => {
  const { clients, servers, only } = readOptions([
    '--client',
    'a,b',
    '--client',
    'c',
    '--server',
    'touchstone',
  ])
  expect([clients, servers, only]).toEqual([['a', 'b', 'c'], ['touchstone'], USE_IDS])
})

test.each([
  [[], '--client NAMES or --all'],
  [['--client', 'a', '--all', '--server', 's'], '--client NAMES or --all'],
  [['--client', 'a'], '--server NAMES or --base-url URL'],
  [['--client', 'a', '--server', 's', '--only', 'plain,sing'], "got 'sing'"],
  [['--client', 'a', '--server', 's', '--only', 'plain', '--record'], 'every use'],
  [['--client', 'a', '--base-url', 'http://127.0.0.1:1', '--record'], '--server, whose version is known'],
])('%j is refused: expected %s', (args, message) => {
  expect(() => readOptions(args)).toThrow(message)
})

test.each([
  [['--client', 'nope'], "unknown client 'nope', expected one of ai-sdk, "],
  [['--client', 'vllm'], "unknown client 'vllm', expected one of ai-sdk, "],
  [['--client', 'openai-node@7.57.0'], 'install.sh installs '],
  [
    ['--client', 'openai-node', '--base-url', 'http://127.0.0.1:1'],
    ' cannot be judged: the connection was refused',
  ],
])('%j ends with one line that says what to do: %s', (args, message) => {
  const server = args.includes('--base-url') ? [] : ['--server', 'touchstone']
  const program = [join(import.meta.dirname, 'pairs-command.ts'), ...args, ...server]
  const { status, stderr, stdout } = spawnSync(process.execPath, program, { encoding: 'utf8' })
  expect([status, stdout]).toEqual([2, ''])
  expect(stderr).toMatch(/^pairs: .*\n$/)
  expect(stderr).toContain(message)
})

test('the installation knows each client by the name of its recipe', () => {
  const script = readFileSync(join(root, 'fixtures/clients/install.sh'), 'utf8')
  const cases = [...script.matchAll(/^ {4}([\w |-]+)\)/gm)].flatMap(([, names = '']) => names.split(' | '))
  const clients = recipeNames().filter((name) => readRecipe(name).kind === 'client')
  expect(cases).toEqual(expect.arrayContaining(clients))
})
