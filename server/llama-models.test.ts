// The line of a model says how it runs, and which setting or fact made it so.
import { expect, test } from 'vitest'
import { modelLine } from './llama-models.ts'

const facts = {
  id: 'm',
  backend: 'CPU',
  compiledHere: false,
  threads: 4,
  small: false,
  slots: 2,
  contextTokens: 2048,
  trainedContextTokens: 8192,
}
const line = (more: Partial<typeof facts>, gpu = false): string =>
  modelLine({ ...facts, ...more }, { llama: { ...settings, gpu } })
const settings = { models: [], threads: 4, slots: 2, queue: 64, gpu: false, contextTokens: 2048 }

test('the line of a model tells back end, threads, context and slots, each with its reason', () => {
  expect(line({})).toBe(
    'm: CPU (LLAMA_GPU is off, prebuilt for any processor), 4 threads (LLAMA_THREADS), ' +
      'context of 2048 tokens (LLAMA_CONTEXT, of 8192), 2 slots (LLAMA_SLOTS)',
  )
})

test.each([
  [{}, true, 'CPU (no GPU can be used'],
  [{ backend: 'cuda' }, true, 'cuda (LLAMA_GPU is auto'],
  [{ compiledHere: true }, false, 'compiled for this processor'],
  [{ threads: 1, small: true }, false, '1 thread (a small model is faster on one)'],
  [{ trainedContextTokens: 2048 }, false, 'context of 2048 tokens (all that it has)'],
])('%j with a GPU allowed %j is told as %s', (more, gpu, told) => {
  expect(line(more, gpu)).toContain(told)
})
