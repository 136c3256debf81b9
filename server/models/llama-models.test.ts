// The line of a model says how it runs, and which setting or fact made it so; and which files of a folder are models.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { temporaryFolder } from '../test-resources.fixture.ts'
import { modelLine, modelsIn } from './llama-models.ts'

const facts = {
  id: 'm',
  backend: 'CPU',
  compiledHere: false,
  threads: 4,
  small: false,
  slots: 2,
  contextTokens: 2048,
  contextShrunk: false,
  trainedContextTokens: 8192,
  longestTokenBytes: 16,
}
const line = (more: Partial<typeof facts>, gpu = false): string =>
  modelLine({ ...facts, ...more }, { llama: { ...settings, gpu } })
const settings = {
  models: [],
  folder: undefined,
  threads: 4,
  threadsGiven: true,
  slots: 2,
  queue: 64,
  gpu: false,
  contextTokens: 2048,
  contextMb: 4096,
  servesTiny: true,
  loadOnUse: false,
  idleSeconds: 0,
}

test('the line of a model reports back end, threads, context and slots, each with its reason', () => {
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
  [
    { contextTokens: 512, contextShrunk: true },
    false,
    'context of 512 tokens (as LLAMA_CONTEXT_MB and free memory allow, of 8192)',
  ],
  [{ trainedContextTokens: 2048 }, false, 'context of 2048 tokens (all that it has)'],
])('%j with a GPU allowed %j is reported as %s', (more, gpu, reported) => {
  expect(line(more, gpu)).toContain(reported)
})

test('the GGUF files of a folder are models, one of several files once', () => {
  const folder = temporaryFolder()
  const parts = ['large-00001-of-00002.gguf', 'large-00002-of-00002.gguf']
  for (const file of ['b two.gguf', 'a.gguf', 'notes.txt', 'c.gguf.ipull', ...parts])
    writeFileSync(join(folder, file), '')
  expect(modelsIn(folder)).toEqual([
    { id: 'a', source: join(folder, 'a.gguf') },
    { id: 'b-two', source: join(folder, 'b two.gguf') },
    { id: 'large', source: join(folder, 'large-00001-of-00002.gguf') },
  ])
  expect(() => modelsIn(join(folder, 'nothing'))).toThrow(UsageError)
})
