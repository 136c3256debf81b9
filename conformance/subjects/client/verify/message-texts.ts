// The texts of the messages in the body of a request.
import { at, listAt } from '../../../../harness/json-value.ts'

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The text of each message: its content, or its text parts joined. */
export function textsOf(body: unknown): readonly string[] {
  return listAt(body, 'messages').map((message) => {
    const content = at(message, 'content')
    if (!Array.isArray(content)) return textOf(content)
    return content.map((part: unknown) => textOf(at(part, 'text'))).join('')
  })
}
