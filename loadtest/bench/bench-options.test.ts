// The command line of the benchmarks: names are combined freely, and one command measures all of them.
import { expect, it } from 'vitest'
import { readOptions } from './bench-options.ts'

it('combines benchmarks, each by its name or the start of it, with their flags', () => {
  const args = 'echo models llama --streams 1,8 --model a.gguf --model b.gguf --json /tmp/rows.json'
  expect(readOptions(args.split(' '))).toMatchObject({
    names: ['echo-plain', 'echo-streamed', 'models', 'llama'],
    streamCounts: [1, 8],
    models: ['a.gguf', 'b.gguf'],
    json: '/tmp/rows.json',
    rounds: 9,
  })
})

it.each([
  [[], ['echo-plain', 'echo-streamed', 'models']],
  [['echo-s'], ['echo-streamed']],
  [['llama', '--streams', '1'], ['llama']],
  [
    ['lim', 'judge'],
    ['limits', 'judge'],
  ],
])('%j runs the benchmarks %j', (args, names) => {
  expect(readOptions(args).names).toEqual(names)
})

it('refuses an unknown name in one line', () => {
  expect(() => readOptions(['echo', 'lama'])).toThrow(/^expected names of benchmarks, .*; received 'lama'$/)
})
