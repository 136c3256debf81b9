// Schemas for what is strict: tools, and answers in JSON.
import { CONVERT, strictObject } from './tool-requests.ts'

/** Schemas that a strict tool may have: every member required, no other allowed. */
export const strictSchemas = {
  flat: CONVERT.function.parameters,
  nested: strictObject({
    place: strictObject({ name: { type: 'string' }, floor: { type: 'integer' } }),
    open: { type: 'boolean' },
  }),
  list: strictObject({
    words: { type: 'array', items: { type: 'string', enum: ['stone', 'gold', 'silver'] } },
    comment: { type: ['string', 'null'] },
  }),
  references: {
    ...strictObject({ first: { $ref: '#/$defs/stone' }, second: { $ref: '#/$defs/stone' } }),
    $defs: { stone: strictObject({ name: { type: 'string' }, weight: { type: 'number' } }) },
  },
  recursive: {
    ...strictObject({ list: { $ref: '#/$defs/item' } }),
    $defs: {
      item: strictObject({
        word: { type: 'string', enum: ['stone', 'gold'] },
        next: { anyOf: [{ $ref: '#/$defs/item' }, { type: 'null' }] },
      }),
    },
  },
  choices: strictObject({
    size: { type: 'integer', enum: [10, 20, 40] },
    note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    grid: { type: 'array', items: { type: 'array', items: { type: 'integer', enum: [10, 20] } } },
  }),
} satisfies Readonly<Record<string, object>>
