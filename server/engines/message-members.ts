// Members of messages that the format does not know, and that request another answer from other services. A model without
// support refuses them by name. Other unknown members are ignored, because clients replay the messages of other services.
import { isRecord } from '../../spec/schemas/collections.ts'
import { invalidRequest } from '../http/api-error.ts'

/** Members of any message that ask for a continuation of its text, or offer tools from here on. */
const REQUESTING = ['partial', 'prefix', 'tools', 'functions'] as const
/** Media beside the content. They are accepted in messages of the assistant, which clients replay. */
const MEDIA = ['images', 'videos', 'audios', 'files', 'documents', 'attachments'] as const

/** Throws the 400 that names the first such member of `messages`, as the client sent them. */
export function refuseRequestingMembers(messages: unknown): void {
  if (!Array.isArray(messages)) return
  for (const [index, message] of messages.entries()) {
    if (!isRecord(message)) continue
    const names = message['role'] === 'assistant' ? REQUESTING : [...REQUESTING, ...MEDIA]
    const name = names.find((each) => Object.hasOwn(message, each) && requests(message[each]))
    if (name === undefined) continue
    const at = `messages[${index}].${name}`
    throw invalidRequest(
      `Unsupported parameter: '${at}' is not supported with this model.`,
      at,
      'unsupported_parameter',
    )
  }
}

/** Whether a value asks for something: null, false and an empty list spell out the default. */
function requests(value: unknown): boolean {
  return value != null && value !== false && !(Array.isArray(value) && value.length === 0)
}
