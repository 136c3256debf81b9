// The command line says what is missing, and records only pairs that are complete.
import { expect, test } from 'vitest'
import { USE_IDS } from '../results/pair-entry.ts'
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
