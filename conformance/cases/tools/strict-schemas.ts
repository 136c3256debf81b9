// Schemas for what is strict: tools, and answers in JSON.
import { CONVERT, strictObject } from './requests.ts'

/** Schemas that a strict tool may have: every member required, no other allowed. */
export const strictSchemas: readonly { readonly slug: string; readonly schema: object }[] = [
  { slug: 'flat', schema: CONVERT.function.parameters },
  {
    slug: 'nested',
    schema: strictObject({
      place: strictObject({ name: { type: 'string' }, floor: { type: 'integer' } }),
      open: { type: 'boolean' },
    }),
  },
  {
    slug: 'list',
    schema: strictObject({
      words: { type: 'array', items: { type: 'string', enum: ['stone', 'gold', 'silver'] } },
      comment: { type: ['string', 'null'] },
    }),
  },
]
