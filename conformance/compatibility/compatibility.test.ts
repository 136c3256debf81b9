// The uses of a client library that docs/server.md lists work with the reference server.
import { expect, test } from 'vitest'
import { withReferenceServer } from './environment.ts'
import { tryClient } from './try-client.ts'

test('openai for Python continues with what it returned (WIRE-24)', { tags: 'openai-python' }, async () => {
  const command = [
    'fixtures/clients/.installed/openai-python/bin/python',
    'fixtures/clients/compatibility_openai.py',
  ]
  const tried = (await withReferenceServer((env) => tryClient(command, env))) ?? []
  expect(tried.map(({ use }) => use)).toContain('replayed')
  expect(tried.filter(({ outcome }) => outcome !== 'works')).toEqual([])
})
