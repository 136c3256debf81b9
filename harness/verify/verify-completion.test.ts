import { expect, test } from 'vitest'
import { madeExchange } from '../exchange.fixture.ts'
import type { TargetFacts } from '../target-facts.ts'
import type { Verifier } from './verify.ts'
import {
  choiceIndexes,
  choiceLogprobs,
  choiceRoles,
  choices,
  createdNear,
  completionId,
  completionModel,
  completionObject,
  contentOf,
  finishReasons,
  usageCounts,
} from './verify-completion.ts'

const target: TargetFacts = { baseUrl: 'http://h', profile: 'service', model: 'm' }
const NOW = 1_800_000_000_000

const choice = (index: number) => ({
  index,
  message: { role: 'assistant', content: `text ${index}` },
  finish_reason: 'stop',
  logprobs: null,
})
const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: NOW / 1000,
  model: 'm',
  choices: [choice(0), choice(1)],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
}

const verifiers: Readonly<Record<string, Verifier>> = {
  choices: choices,
  id: completionId,
  object: completionObject,
  created: createdNear(NOW),
  model: completionModel,
  indexes: choiceIndexes,
  roles: choiceRoles,
  reasons: finishReasons,
  logprobs: choiceLogprobs,
  usage: usageCounts,
}

/** The names of the verifiers that a body does not hold up to. */
function broken(body: unknown): readonly string[] {
  const exchange = madeExchange({ body })
  return Object.entries(verifiers).flatMap(([name, verify]) =>
    verify(exchange, target) === undefined ? [] : [name],
  )
}

const first = (members: object) => ({ ...completion, choices: [{ ...choice(0), ...members }, choice(1)] })
const message = (members: object) => first({ message: { role: 'assistant', content: 'a', ...members } })

test.each([
  ['a right one', completion],
  ['null content', message({ content: null })],
  ['choices in another order', { ...completion, choices: [choice(1), choice(0)] }],
  ['no usage', { ...completion, usage: undefined }],
  ['null usage', { ...completion, usage: null }],
  ['no logprobs', first({ logprobs: undefined })],
  ['logprobs', first({ logprobs: { content: [] } })],
  ['created a day ago', { ...completion, created: completion.created - 86_400 }],
])('%s holds up to everything', (_, body) => {
  expect(broken(body)).toEqual([])
})

test.each([
  [{ ...completion, choices: [] }, ['choices']],
  [{ ...completion, choices: {} }, ['choices']],
  [message({ content: undefined }), ['choices']],
  [message({ content: 7 }), ['choices']],
  [message({ role: 'user' }), ['roles']],
  [{ ...completion, id: '' }, ['id']],
  [{ ...completion, id: 7 }, ['id']],
  [{ ...completion, object: 'completion' }, ['object']],
  [{ ...completion, created: '1' }, ['created']],
  [{ ...completion, created: completion.created + 0.5 }, ['created']],
  [{ ...completion, created: NOW }, ['created']],
  [{ ...completion, created: completion.created - 86_500 }, ['created']],
  [{ ...completion, model: undefined }, ['model']],
  [{ ...completion, choices: [choice(0), choice(0)] }, ['indexes']],
  [{ ...completion, choices: [choice(1)] }, ['indexes']],
  [first({ finish_reason: 'end' }), ['reasons']],
  [first({ finish_reason: null }), ['reasons']],
  [first({ logprobs: [] }), ['logprobs']],
  [{ ...completion, usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 4 } }, ['usage']],
  [{ ...completion, usage: { prompt_tokens: 1, completion_tokens: 2 } }, ['usage']],
  [{ ...completion, usage: { prompt_tokens: 1.5, completion_tokens: 0.5, total_tokens: 2 } }, ['usage']],
])('%j breaks only what it breaks', (body, expected) => {
  expect(broken(body)).toEqual(expected)
})

test('finds the text of a choice by its index, and that of a single choice without an index', () => {
  const textOf = (...choices: readonly object[]) =>
    [0, 1, 2].map((index) =>
      contentOf(madeExchange({ body: JSON.stringify({ ...completion, choices }) }), index),
    )
  const { index: _, ...bare } = choice(0)
  expect(textOf(choice(1), choice(0))).toEqual(['text 0', 'text 1', undefined])
  expect(textOf(bare)).toEqual(['text 0', undefined, undefined])
  expect(textOf(bare, bare)).toEqual([undefined, undefined, undefined])
  expect(textOf({ ...bare, index: '0' })).toEqual([undefined, undefined, undefined])
})
