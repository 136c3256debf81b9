// The uses of a client library that docs/server.md lists work with the reference server.
import { expect, test } from 'vitest'
import { tryClient } from './try-client.ts'

test(
  'openai for Python: conversations go on with what it returned (WIRE-24)',
  { tags: 'openai-python' },
  async () => {
    const tried = await tryClient([
      'fixtures/clients/.installed/openai-python/bin/python',
      'fixtures/clients/openai-python/compatibility.py',
    ])
    expect([...tried.keys()]).toContain('replayed')
    expect([...tried].filter(([, error]) => error !== undefined)).toEqual([])
  },
)
