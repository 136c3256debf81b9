// The texts of a stream that the client has received so far: its content, its thoughts, and the arguments of its calls.
import { EventEmitter } from 'node:events'
import { at, listAt, parseJson } from '../../../harness/json-value.ts'
import { nextEvent } from '../../../harness/scripted-service/next-event.ts'
import { createEventStreamParser } from '../../../spec/protocol/sse.ts'
import { HELD_MS } from './crossing.ts'

/** The joined texts of the stream that the client has received so far, however its deltas are split. */
export function createReceivedText() {
  const decoder = new TextDecoder()
  const parser = createEventStreamParser()
  const pieces = new EventEmitter()
  let text = ''
  return {
    add(bytes: Uint8Array): void {
      for (const { data } of parser.push(decoder.decode(bytes, { stream: true }))) {
        const delta = at(parseJson(data), 'choices', 0, 'delta')
        const called = listAt(delta, 'tool_calls').map((fragment) => at(fragment, 'function', 'arguments'))
        const texts = [at(delta, 'content'), at(delta, 'reasoning_content'), ...called]
        text += texts.filter((one) => typeof one === 'string').join('')
      }
      pieces.emit('piece')
    },
    text: (): string => text,
    /** Whether the client receives a text within `HELD_MS`. */
    async waitFor(wanted: string, signal: AbortSignal): Promise<boolean> {
      const bound = AbortSignal.any([signal, AbortSignal.timeout(HELD_MS)])
      while (!text.includes(wanted) && !bound.aborted) await nextEvent(pieces, 'piece', bound)
      return text.includes(wanted)
    },
  }
}
