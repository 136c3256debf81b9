// The library runs on what quantisations are made of: blocks of 32 and of 256 weights.
import { expect, test } from 'vitest'
import { tryBuild } from './try-build.ts'

test('the prebuilt library answers with each of these types of weights', { tags: ['llama', 'slow'] }, () => {
  expect(tryBuild({ prebuilt: true, types: ['Q4_0', 'Q4_K'] })).toEqual([])
})
