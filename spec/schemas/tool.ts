// The tools that a request offers to the model, and the choice among them (wire format: tools, tool_choice).
import { z } from 'zod'
import { annotate, optional } from './annotate.ts'
import { clientSchema, list } from './collections.ts'
import { name } from './text.ts'

export const functionDefinition = z.strictObject({
  name,
  description: z.string().nullish(),
  parameters: optional(clientSchema, 'A JSON Schema of the arguments; without it there are none.'),
})

export const strictFunctionDefinition = functionDefinition.extend({
  strict: optional(z.boolean(), 'Holds the arguments to `parameters`.', { default: false }),
})

export const functionTool = z
  .strictObject({ type: z.literal('function'), function: strictFunctionDefinition })
  .describe('A function that the client runs.')

export const anyTextFormat = z.strictObject({ type: z.literal('text') }).describe('Any text.')

export const grammar = z.strictObject({ definition: z.string(), syntax: z.enum(['lark', 'regex']) })

export const grammarFormat = z
  .strictObject({ type: z.literal('grammar'), grammar })
  .describe('Text of a grammar.')

export const customFormat = z.discriminatedUnion('type', [anyTextFormat, grammarFormat])

export const customDefinition = z.strictObject({
  name,
  description: z.string().nullish(),
  format: customFormat.nullish(),
})

export const customTool = z
  .strictObject({ type: z.literal('custom'), custom: customDefinition })
  .describe('A tool whose input is text.')

export const tool = z.discriminatedUnion('type', [functionTool, customTool])

export const toolMode = z.enum(['none', 'auto', 'required'])

export const toolName = z.strictObject({ name: z.string() })

export const functionToolChoice = z
  .strictObject({ type: z.literal('function'), function: toolName })
  .describe('This function.')

export const customToolChoice = z
  .strictObject({ type: z.literal('custom'), custom: toolName })
  .describe('This custom tool.')

export const allowedTools = z.strictObject({
  mode: z.enum(['auto', 'required']),
  tools: annotate(list(z.record(z.unknown())), {
    description: 'Tools by type and name, for example `{"type":"function","function":{"name":"get_time"}}`.',
  }),
})

export const allowedToolsChoice = z
  .strictObject({ type: z.literal('allowed_tools'), allowed_tools: allowedTools })
  .describe('Some of the tools.')

export const namedToolChoice = z.discriminatedUnion('type', [
  functionToolChoice,
  customToolChoice,
  allowedToolsChoice,
])

export const toolChoice = z.union([toolMode, namedToolChoice])

export type Tool = z.infer<typeof tool>
export type ToolChoice = z.infer<typeof toolChoice>
