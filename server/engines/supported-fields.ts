// The fields that an engine supports. A known field that it does not support is refused by name, never ignored (WIRE-12).
import type { ChatCompletionRequest } from '../../spec/schemas/request.ts'
import { invalidRequest } from '../http/api-error.ts'
import type { GenerateContext } from './engine.ts'
import { refuseRequestingMembers } from './message-members.ts'

type Field = keyof ChatCompletionRequest

/** The fields that an engine supports: `true`, or a function that accepts the supported values. */
type Support = {
  readonly [F in Field]?: true | ((value: NonNullable<ChatCompletionRequest[F]>) => boolean)
}

/**
 * The support of the text engines: all fields about text, hints without an effect on the answer, and of other fields
 * the default value.
 */
export const textSupport: Support = {
  model: true,
  messages: true,
  stream: true,
  stream_options: (value) => value.include_obfuscation !== true,
  user: true,
  // Labels for stored answers; they have no effect, because nothing is stored.
  metadata: true,
  safety_identifier: true,
  prompt_cache_key: true,
  store: (value) => !value,
  // No model here thinks.
  reasoning_effort: (value) => value === 'none',
  modalities: (value) => value.every((modality) => modality === 'text'),
  service_tier: (value) => value === 'auto' || value === 'default',
  n: true,
  stop: true,
  max_tokens: true,
  max_completion_tokens: true,
  temperature: true,
  top_p: true,
  seed: true,
  frequency_penalty: true,
  presence_penalty: true,
  logit_bias: true,
  logprobs: true,
  top_logprobs: true,
  response_format: true,
  tools: true,
  tool_choice: true,
  parallel_tool_calls: true,
}

/**
 * Throws the 400 that names the first field of `request` that `textSupport` does not cover, the first message part
 * that is not text, or the first unknown member of a message that requests another answer. `null` means the same as leaving
 * a field out (WIRE-13).
 */
export function refuseUnsupported(
  request: ChatCompletionRequest,
  { sentMessages, lenient = false }: Pick<GenerateContext, 'sentMessages' | 'lenient'> = {},
): void {
  // The schema returns messages without unknown members as they were sent, so they need no search.
  if (!lenient && sentMessages !== request.messages) refuseRequestingMembers(sentMessages)
  for (const field in request) if (isField(field, request)) refuseField(field, request[field])
  for (const [index, message] of request.messages.entries()) {
    if (!Array.isArray(message.content)) continue
    for (const [part, { type }] of message.content.entries()) {
      if (type !== 'text' && type !== 'refusal') {
        const at = `messages[${index}].content[${part}]`
        throw invalidRequest(
          `Unsupported value: '${at}' is of type '${type}', which this model does not take. Expected 'text'.`,
          at,
          'unsupported_value',
        )
      }
    }
  }
}

function isField(name: string, request: ChatCompletionRequest): name is Field {
  return Object.hasOwn(request, name)
}

function refuseField<F extends Field>(field: F, value: ChatCompletionRequest[F]): void {
  const rule: Support[F] = textSupport[field]
  if (value === null || value === undefined || rule === true) return
  if (rule === undefined)
    throw invalidRequest(
      `Unsupported parameter: '${field}' is not supported with this model.`,
      field,
      'unsupported_parameter',
    )
  if (!rule(value))
    throw invalidRequest(
      `Unsupported value: this value of '${field}' is not supported with this model.`,
      field,
      'unsupported_value',
    )
}
