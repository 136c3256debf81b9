// The messages of a conversation, as a request carries them (wire format: Messages, Content parts, Tool calls). Unknown
// members are dropped, not refused, and optional members may be null, because clients replay messages as they received
// them (WIRE-24).
import { z } from 'zod'
import { annotate, optional } from './annotate.ts'
import { list } from './collections.ts'
import { participantName } from './text.ts'

export const cacheBreakpoint = z
  .object({ mode: z.enum(['explicit']), ttl: z.enum(['30m', '12h']).nullish() })
  .describe('Marks the end of a prefix that is worth caching.')

const breakpoint = { prompt_cache_breakpoint: cacheBreakpoint.nullish() }

export const textPart = z
  .object({ type: z.literal('text'), text: z.string(), ...breakpoint })
  .describe('Text.')

export const imageUrl = z.object({
  url: z.string().describe('Where the image is; a `data:` URL carries it along.'),
  detail: annotate(z.enum(['auto', 'low', 'high', 'original']).nullish(), { default: 'auto' }),
})

export const imagePart = z
  .object({ type: z.literal('image_url'), image_url: imageUrl, ...breakpoint })
  .describe('An image.')

export const inputAudio = z.object({
  data: z.string().describe('The sound, in base64.'),
  format: z.enum(['wav', 'mp3']),
})

export const audioPart = z
  .object({ type: z.literal('input_audio'), input_audio: inputAudio, ...breakpoint })
  .describe('Recorded sound.')

export const inputFile = z.object({
  filename: z.string().nullish(),
  file_data: optional(z.string(), 'The file, in base64.'),
  file_id: optional(z.string(), 'The id of a file that was uploaded before.'),
})

export const filePart = z
  .object({ type: z.literal('file'), file: inputFile, ...breakpoint })
  .describe('A file.')

export const refusalPart = z
  .object({ type: z.literal('refusal'), refusal: z.string() })
  .describe('What the assistant said instead of an answer.')

export const userPart = z.discriminatedUnion('type', [textPart, imagePart, audioPart, filePart])
export const assistantPart = z.discriminatedUnion('type', [textPart, refusalPart])

/** The text of a message: a string, or one or more text parts. */
export const textContent = z.union([z.string(), list(textPart, { min: 1 })]).describe('Text, or parts of it.')

export const userContent = z
  .union([z.string(), list(userPart, { min: 1 })])
  .describe('Text, or parts of several kinds.')

export const assistantContent = z
  .union([z.string(), list(assistantPart, { min: 1 })])
  .describe('Text, or parts of it, or one refusal.')

export const functionCall = z
  .object({
    name: z.string(),
    arguments: z.string().describe('JSON, as the model wrote it: it may be invalid.'),
  })
  .describe('The function that is called, and with what.')

export const customCall = z
  .object({ name: z.string(), input: z.string() })
  .describe('The custom tool that is called, and with what.')

export const functionToolCall = z
  .object({ id: z.string(), type: z.literal('function'), function: functionCall })
  .describe('A call of a function.')

export const customToolCall = z
  .object({ id: z.string(), type: z.literal('custom'), custom: customCall })
  .describe('A call of a custom tool.')

export const toolCall = z.discriminatedUnion('type', [functionToolCall, customToolCall])

const participant = optional(participantName, 'Distinguishes participants of the same role.')

export const developerMessage = z
  .object({ role: z.literal('developer'), content: textContent, name: participant })
  .describe('Instructions of the developer; newer models take them in place of `system`.')

export const systemMessage = z
  .object({ role: z.literal('system'), content: textContent, name: participant })
  .describe('Instructions that the conversation is under.')

export const userMessage = z
  .object({ role: z.literal('user'), content: userContent, name: participant })
  .describe('What the user says.')

export const audioReference = z.object({ id: z.string() })

// cross-field.ts has the rule that the message must not be empty.
export const assistantMessage = z
  .object({
    role: z.literal('assistant'),
    content: optional(assistantContent, 'Required unless the message carries calls, a refusal or sound.'),
    name: participant,
    refusal: z.string().nullish(),
    audio: optional(audioReference, 'Sound that the model answered with before.'),
    tool_calls: list(toolCall).nullish(),
    function_call: annotate(functionCall.nullish(), { deprecated: true }),
  })
  .describe('What the model said before, replayed as it was sent.')

export const toolMessage = z
  .object({
    role: z.literal('tool'),
    content: textContent,
    tool_call_id: z
      .string()
      .describe('The id of the call, made earlier in the conversation, that this answers.'),
  })
  .describe('The result of a call.')

export const functionMessage = annotate(
  z
    .object({ role: z.literal('function'), content: z.string().nullable(), name: z.string() })
    .describe('The result of a call of a function in the older form.'),
  { deprecated: true },
)

export const message = z.discriminatedUnion('role', [
  developerMessage,
  systemMessage,
  userMessage,
  assistantMessage,
  toolMessage,
  functionMessage,
])

export type Message = z.infer<typeof message>
export type ToolCall = z.infer<typeof toolCall>
