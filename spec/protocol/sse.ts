// Event-stream framing (WHATWG HTML, 9.2 "Server-sent events"): what the service writes, and what a reader accepts.

/** The data of the last record of a stream that did not fail (STREAM-2). */
export const DONE = '[DONE]'

/** One record: `data: ` and the text, which must not contain a line end, then a blank line (STREAM-1). */
export function encodeRecord(data: string): string {
  return `data: ${data}\n\n`
}

/** A comment, which every reader ignores: the keep-alive of the format (STREAM-9). */
export function encodeComment(text: string): string {
  return `: ${text}\n\n`
}

/** A dispatched event: its `event` field if one was given, and its data lines joined by a line feed. */
export interface ServerSentEvent {
  readonly event?: string
  readonly data: string
}

/**
 * Makes a parser that accepts all that the standard allows: LF, CRLF and CR line ends, comments, a missing space
 * after the colon, fields without a colon, and a byte order mark at the start. An event without data is not
 * dispatched. The result does not depend on the chunks.
 */
export function createEventStreamParser() {
  /** The chunks of the line that has not ended yet. */
  let line: string[] = []
  let started = false
  /** The last chunk ended with a CR: an LF that follows belongs to it. */
  let afterCr = false
  let event: string | undefined
  let data: string[] = []

  function endLine(text: string, events: ServerSentEvent[]): void {
    if (text === '') {
      if (data.length > 0) events.push({ ...(event === undefined ? {} : { event }), data: data.join('\n') })
      event = undefined
      data = []
      return
    }
    const colon = text.indexOf(':')
    const field = colon === -1 ? text : text.slice(0, colon)
    const value = colon === -1 ? '' : text.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') data.push(value)
    if (field === 'event') event = value
  }

  return {
    /** Takes the next chunk, of any size, and returns the events that it completes. */
    push(text: string): ServerSentEvent[] {
      if (text === '') return []
      const events: ServerSentEvent[] = []
      let start = (!started && text.startsWith('\uFEFF')) || (afterCr && text.startsWith('\n')) ? 1 : 0
      started = true
      for (const { 0: end, index } of text.matchAll(/\r\n|\r|\n/g)) {
        if (index < start) continue
        const last = text.slice(start, index)
        endLine(line.length === 0 ? last : [...line, last].join(''), events)
        if (line.length > 0) line = []
        start = index + end.length
      }
      if (start < text.length) line.push(text.slice(start))
      afterCr = text.endsWith('\r')
      return events
    },
    /** The text after the last blank line: not empty if a record was never ended (STREAM-1). */
    rest(): string {
      return [...data.map((line) => `data: ${line}`), line.join('')].filter((line) => line !== '').join('\n')
    },
  }
}
