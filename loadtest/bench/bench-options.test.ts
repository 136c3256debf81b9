// The command line of the benchmarks: names are combined freely, and one command measures all of them.
import { expect, it } from 'vitest'
import { readOptions } from './bench-options.ts'

it('combines workloads, other measurements and llama with its flags', () => {
  const args = 'echo models workers llama --streams 1,8 --model a.gguf --model b.gguf --json /tmp/rows.json'
  expect(readOptions(args.split(' '))).toMatchObject({
    names: ['echo-plain', 'echo-streamed', 'models'],
    extras: new Set(['workers', 'llama']),
    streamCounts: [1, 8],
    models: ['a.gguf', 'b.gguf'],
    json: '/tmp/rows.json',
    rounds: 9,
  })
})

it.each([
  [[], ['echo-plain', 'echo-streamed', 'models']],
  [['peers'], ['echo-plain', 'echo-streamed', 'models']],
  [['echo-s', 'peers'], ['echo-streamed']],
  [['llama', '--streams', '1'], []],
  [['lim', 'workers'], []],
])('%j measures the workloads %j', (args, names) => {
  expect(readOptions(args).names).toEqual(names)
})

it('refuses an unknown name in one line', () => {
  expect(() => readOptions(['echo', 'lama'])).toThrow(/^expected names of benchmarks, .*; received 'lama'$/)
})

it('needs the data of schemas, which are not a part of this repository', () => {
  expect(() => readOptions(['schemas'])).toThrow(/--data DIR/)
  expect(readOptions(['schemas', '--data', 'folder'])).toMatchObject({ names: [], data: 'folder' })
})
