// The fields of a request that are objects. Each export is a component of the OpenAPI document.
import { z } from 'zod'
import { annotate, optional } from './annotate.ts'
import { clientSchema } from './collections.ts'
import { textContent } from './message.ts'
import { name } from './text.ts'

export const textFormat = z.strictObject({ type: z.literal('text') }).describe('Any text.')

export const jsonObjectFormat = z
  .strictObject({ type: z.literal('json_object') })
  .describe('A JSON object. Some models demand that a message says "JSON".')

export const jsonSchemaDefinition = z.strictObject({
  name,
  description: z.string().nullish(),
  schema: clientSchema.nullish(),
  strict: optional(z.boolean(), 'Holds the answer to `schema`.', { default: false }),
})

export const jsonSchemaFormat = z
  .strictObject({ type: z.literal('json_schema'), json_schema: jsonSchemaDefinition })
  .describe('JSON of a schema.')

export const responseFormat = z.discriminatedUnion('type', [textFormat, jsonObjectFormat, jsonSchemaFormat])

export const voiceReference = z.strictObject({ id: z.string() })

export const audioOptions = z.strictObject({
  voice: z.union([z.string(), voiceReference]),
  format: z.enum(['wav', 'aac', 'mp3', 'flac', 'opus', 'pcm16']),
})

export const moderationRule = z.strictObject({ mode: z.enum(['score', 'block']) })

export const moderationPolicy = z.strictObject({
  input: moderationRule.nullish(),
  output: moderationRule.nullish(),
})

export const moderation = z.strictObject({ model: z.string(), policy: moderationPolicy.nullish() })

export const prediction = z.strictObject({ type: z.enum(['content']), content: textContent })

export const place = z.strictObject({
  country: z.string().nullish(),
  region: z.string().nullish(),
  city: z.string().nullish(),
  timezone: z.string().nullish(),
})

export const userLocation = z.strictObject({ type: z.enum(['approximate']), approximate: place })

export const webSearchOptions = z.strictObject({
  search_context_size: annotate(z.enum(['low', 'medium', 'high']).nullish(), { default: 'medium' }),
  user_location: userLocation.nullish(),
})

export const promptCacheOptions = z.strictObject({
  mode: annotate(z.enum(['implicit', 'explicit']).nullish(), { default: 'implicit' }),
  ttl: z.enum(['30m']).nullish(),
})

export const streamOptions = z.strictObject({
  include_usage: optional(
    z.boolean(),
    'One more chunk at the end carries the `usage` of the whole request.',
    { default: false },
  ),
  include_obfuscation: optional(z.boolean(), 'Pads the chunks, so that their size reveals nothing.'),
})
