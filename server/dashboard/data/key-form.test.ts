import { expect, test } from 'vitest'
import { fc, forAll } from '../../../spec/property.fixture.ts'
import {
  EMPTY_KEY_FORM,
  keyFormValues,
  type KeyFormValues,
  MAX_CONCURRENCY,
  MAX_LIMIT_REQUESTS,
  MAX_LIMIT_SECONDS,
  MAX_MODEL_LENGTH,
  MAX_MODELS,
  MAX_NAME_LENGTH,
  MAX_TOKENS_PER_MINUTE,
  readKeyForm,
} from './key-form.ts'
import { fields } from '../form-fields.ts'

const valid: KeyFormValues = { ...EMPTY_KEY_FORM, name: 'a key' }

const word = fc
  .string({ minLength: 1, maxLength: 20 })
  .filter((text) => text.trim() === text && !text.includes(','))

test('a valid form gives the requested key', () => {
  forAll(
    fc.record({
      name: word,
      models: fc.option(fc.uniqueArray(word, { minLength: 1, maxLength: 5 })),
      limit: fc.option(
        fc.record({
          requests: fc.integer({ min: 1, max: MAX_LIMIT_REQUESTS }),
          windowSeconds: fc.integer({ min: 1, max: MAX_LIMIT_SECONDS }),
        }),
      ),
      concurrency: fc.option(fc.integer({ min: 1, max: MAX_CONCURRENCY })),
      tokensPerMinute: fc.option(fc.integer({ min: 1, max: MAX_TOKENS_PER_MINUTE })),
    }),
    (key) => {
      const values = keyFormValues(
        new URLSearchParams({
          [fields.name]: ` ${key.name} `,
          [fields.access]: key.models === null ? 'all' : 'some',
          [fields.moreModels]: (key.models ?? []).join(' , '),
          [fields.limitRequests]: String(key.limit?.requests ?? ''),
          [fields.limitSeconds]: String(key.limit?.windowSeconds ?? ''),
          [fields.concurrency]: String(key.concurrency ?? ''),
          [fields.tokensPerMinute]: String(key.tokensPerMinute ?? ''),
        }),
      )
      expect(readKeyForm(values)).toEqual({ key })
    },
  )
})

test.each<[keyof ReturnType<typeof problemsOf>, Partial<KeyFormValues>]>([
  ['name', { name: '' }],
  ['name', { name: 'x'.repeat(MAX_NAME_LENGTH + 1) }],
  ['name', { name: 'two\nlines' }],
  ['name', { name: 'nul\0' }],
  ['models', { access: '' }],
  ['models', { access: 'some' }],
  ['models', { access: 'some', moreModels: ' , ,' }],
  ['models', { access: 'all', models: ['svc-0.1-echo'] }],
  ['models', { access: 'all', moreModels: 'svc-0.1-echo' }],
  ['models', { access: 'some', moreModels: 'x'.repeat(MAX_MODEL_LENGTH + 1) }],
  ['models', { access: 'some', models: ['a\u0007b'] }],
  ['models', { access: 'some', moreModels: Array.from({ length: MAX_MODELS + 1 }, (_, at) => at).join() }],
  ['limit', { limitRequests: '5' }],
  ['limit', { limitSeconds: '5' }],
  ['limit', { limitRequests: '0', limitSeconds: '1' }],
  ['limit', { limitRequests: '-1', limitSeconds: '1' }],
  ['limit', { limitRequests: '1.5', limitSeconds: '1' }],
  ['limit', { limitRequests: '1e3', limitSeconds: '1' }],
  ['limit', { limitRequests: String(MAX_LIMIT_REQUESTS + 1), limitSeconds: '1' }],
  ['limit', { limitRequests: '1', limitSeconds: String(MAX_LIMIT_SECONDS + 1) }],
  ['concurrency', { concurrency: '0' }],
  ['concurrency', { concurrency: String(MAX_CONCURRENCY + 1) }],
  ['tokens', { tokensPerMinute: 'many' }],
  ['tokens', { tokensPerMinute: String(MAX_TOKENS_PER_MINUTE + 1) }],
])('only the invalid field is reported: %s, %o', (field, change) => {
  const problems = problemsOf({ ...valid, ...change })
  expect(Object.keys(problems)).toEqual([field])
  expect(problems[field]?.toLowerCase()).toMatch(new RegExp(`^${field}: `))
})

function problemsOf(values: KeyFormValues) {
  const read = readKeyForm(values)
  return 'problems' in read ? read.problems : {}
}

test('the longest name and the most models are accepted', () => {
  const models = Array.from({ length: MAX_MODELS }, (_, at) => `${at}`.padEnd(MAX_MODEL_LENGTH, 'x'))
  const name = '🔑'.repeat(MAX_NAME_LENGTH)
  expect(readKeyForm({ ...valid, name, access: 'some', models })).toEqual({
    key: { name, models, limit: null, concurrency: null, tokensPerMinute: null },
  })
})
