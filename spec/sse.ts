// Event-stream framing (WHATWG HTML, 9.2 "Server-sent events"): what the service writes, and what a reader accepts.

/** What follows the last chunk of a stream that did not fail (STREAM-2). */
export const DONE = '[DONE]'

/** One record: `data: ` and the text, which must hold no line end, then a blank line (STREAM-1). */
export function encodeRecord(data: string): string {
  return `data: ${data}\n\n`
}

/** A comment, which every reader ignores: the keep-alive of the format (STREAM-9). */
export function encodeComment(text: string): string {
  return `: ${text}\n\n`
}

/** A dispatched event: its `event` field where one was given, and its data lines joined by a line feed. */
export interface ServerSentEvent {
  readonly event?: string
  readonly data: string
}

/** A parser of an event stream, fed with text in pieces of any size. */
export interface EventStreamParser {
  /** Takes the next piece and returns the events that it completes. */
  push(text: string): ServerSentEvent[]
  /** What stands after the last blank line: not empty where a record was never ended (STREAM-1). */
  rest(): string
}

/**
 * Makes a parser that accepts all that the standard allows: LF, CRLF and CR line ends, comments, a missing space
 * after the colon, fields without a colon, and a byte order mark at the start. An event without data is not
 * dispatched.
 */
export function createEventStreamParser(): EventStreamParser {
  let buffer = ''
  let started = false
  let event: string | undefined
  let data: string[] = []

  function takeLine(line: string, events: ServerSentEvent[]): void {
    if (line === '') {
      if (data.length > 0) events.push({ ...(event === undefined ? {} : { event }), data: data.join('\n') })
      event = undefined
      data = []
      return
    }
    const colon = line.indexOf(':')
    const field = colon === -1 ? line : line.slice(0, colon)
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') data.push(value)
    if (field === 'event') event = value
  }

  return {
    push(text) {
      buffer += text
      if (!started && buffer.length > 0) {
        started = true
        buffer = buffer.replace(/^\uFEFF/, '')
      }
      const events: ServerSentEvent[] = []
      for (;;) {
        const end = buffer.search(/[\r\n]/)
        // A CR at the very end may be half of a CRLF: wait for what follows.
        if (end === -1 || (buffer[end] === '\r' && end === buffer.length - 1)) return events
        const line = buffer.slice(0, end)
        buffer = buffer.slice(end + (buffer.startsWith('\r\n', end) ? 2 : 1))
        takeLine(line, events)
      }
    },
    rest() {
      return [...data.map((line) => `data: ${line}`), buffer.replace(/\r$/, '')]
        .filter((line) => line !== '')
        .join('\n')
    },
  }
}
