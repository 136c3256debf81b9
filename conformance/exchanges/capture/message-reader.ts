// Reads the HTTP/1.1 messages that pass on one direction of a connection. It only looks: the bytes go their own way.
import { HTTPParser } from 'http-parser-js'
import { type Headers, headerPairs } from '../../../harness/http/exchange.ts'

HTTPParser.encoding = 'latin1'

interface MessageListener {
  /**
   * The head of a request or of an answer. Returns true if the message has no body whatever its headers say, as the answer
   * to a HEAD request.
   */
  head(head: { method: string; url: string; status: number; headers: Headers }): boolean
  body(piece: Uint8Array): void
  end(): void
}

/** Where in the read bytes a head or a message ended. */
export interface Mark {
  readonly offset: number
  readonly what: 'head' | 'message'
}

/** The start of a request, behind the line ends that RFC 9112 2.2 allows before it. */
const REQUEST_START = /^[\r\n]*(?:[A-Z]|$)/

/** A chunk or a body of -5 bytes: the parser would go back and read the same bytes again, without an end. */
class NegativeLength extends Error {}

export function createMessageReader(type: 'REQUEST' | 'RESPONSE', listener: MessageListener) {
  const parser = new HTTPParser(type) as InstanceType<typeof HTTPParser> & {
    readonly offset: number
    readonly state: string
    readonly line: string
  }
  let marks: Mark[] = []
  let isReadable = true
  parser[HTTPParser.kOnHeadersComplete] = (info) => {
    marks.push({ offset: parser.offset, what: 'head' })
    const head = {
      method: HTTPParser.methods[info.method] ?? '',
      url: info.url,
      status: info.statusCode,
      headers: headerPairs(info.headers),
    }
    return listener.head(head) ? 1 : 0
  }
  parser[HTTPParser.kOnBody] = (piece, _, length) => {
    if (length < 0) throw new NegativeLength()
    listener.body(Buffer.from(piece))
  }
  parser[HTTPParser.kOnMessageComplete] = () => {
    marks.push({ offset: parser.offset, what: 'message' })
    listener.end()
  }
  return {
    /** Reads further bytes; returns the ends in them, or undefined from the first byte on that is not HTTP/1.1. */
    read(bytes: Buffer): readonly Mark[] | undefined {
      // Without this, another protocol would look like a request line whose end has not come.
      const isStart = parser.state === 'REQUEST_LINE' && parser.line === ''
      if (isStart && !REQUEST_START.test(bytes.toString('latin1', 0, 8))) isReadable = false
      if (!isReadable) return undefined
      marks = []
      try {
        isReadable = parser.execute(bytes) === bytes.length
      } catch (error) {
        if (!(error instanceof NegativeLength)) throw error
        isReadable = false
      }
      return isReadable ? marks : undefined
    },
    /** No more messages come, which ends one without a length: the connection is over, or speaks another protocol. */
    close(): void {
      if (isReadable) parser.finish()
      isReadable = false
    },
  }
}
