// The file that describes a puppet: a model whose weights hold scripts, so that the exact text that it writes is known. The
// generator writes it, and the judge reads it for the rows of section PARSE.
import { z } from 'zod'

/** The format of the file, with its version. */
export const PUPPET_FORMAT = 'touchstone-puppet-1'

const text = z.string()

/** A function that a request offers, as in the format. */
const tool = z.object({
  type: z.literal('function'),
  function: z.object({ name: text, description: text.optional(), parameters: z.record(z.unknown()) }),
})

/** The kinds of scripts; each belongs to one row. */
export const SCRIPT_KINDS = [
  'text',
  'call',
  'calls',
  'text-and-call',
  'thoughts',
  'arguments',
  'quoted',
] as const

const script = z.object({
  id: text.regex(/^[a-z0-9-]+$/),
  kind: z.enum(SCRIPT_KINDS),
  prompt: text.describe('The last user message must contain this text; the model then writes the script.'),
  raw: text.describe('The text that the model writes, with the markers and without the end token.'),
  pieces: z
    .array(z.union([text, z.array(z.number().int().min(0).max(255))]))
    .describe('The tokens of `raw`; one that is a part of a character is an array of bytes.'),
  end: text.describe('The token that ends the answer.'),
  tools: z.array(tool).describe('The functions that the request offers.'),
  expect: z
    .object({
      content: z
        .array(text)
        .describe(
          'The texts outside of all markup, in order. White space between them, and between them and markup, is not judged.',
        ),
      isExact: z
        .boolean()
        .describe(
          'Whether `raw` has no markup: the content must then equal its only text, white space included.',
        ),
      reasoning: text.nullable().describe('The thoughts without their markers; null if there are none.'),
      tool_calls: z.array(z.object({ name: text, arguments: z.record(z.unknown()) })),
    })
    .describe('The answer to a client that offers `tools` with `tool_choice: "auto"`.'),
})

export const puppetSchema = z.object({
  format: z.literal(PUPPET_FORMAT),
  family: text,
  model: text,
  template: text.describe('The file of the chat template in the source of llama.cpp.'),
  markers: z.array(text).describe('The markers of the family; each is one token.'),
  scripts: z.array(script).min(1),
})

export type Puppet = z.infer<typeof puppetSchema>
export type PuppetScript = Puppet['scripts'][number]
