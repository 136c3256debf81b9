// JSON that grows while an answer is generated: counted when it is added, and kept in parts, so that its end takes no
// long turn.
import type { JsonParts } from '../http/call.ts'
import { byteLength } from '../engines/answer-size.ts'

/** Counts bytes of an answer while it is encoded. Throws the error of an answer over a bound. */
export type CountBytes = (bytes: number) => void

/** The length of a part of a large answer, in UTF-16 code units. */
const PART_LENGTH = 64 * 1024

/** A longer text is left to `JSON.stringify`, which is faster for it. */
const SHORT = 64

/** Returns whether a text is short ASCII whose JSON is the text itself in quotes. */
export function needsNoEscape(text: string): boolean {
  if (text.length > SHORT) return false
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code < 0x20 || code > 0x7e || code === 0x22 || code === 0x5c) return false
  }
  return true
}

/** JSON that grows; full parts are kept as bytes. */
export class JsonText {
  readonly parts: Uint8Array[] = []
  /** The text after `parts`. */
  rest = ''
  restBytes = 0

  add(json: string, count: CountBytes): void {
    const bytes = byteLength(json)
    count(bytes)
    this.rest += json
    this.restBytes += bytes
    if (this.rest.length < PART_LENGTH) return
    this.parts.push(Buffer.from(this.rest))
    this.rest = ''
    this.restBytes = 0
  }

  get isEmpty(): boolean {
    return this.rest === '' && this.parts.length === 0
  }
}

/** The parts of the JSON in order: short texts joined, encoded bytes as they are. */
export class PartsWriter {
  readonly #parts: (string | Uint8Array)[] = []
  readonly #count: CountBytes
  #bytes = 0
  #text = ''
  /** The bytes of `#text` that were counted while it grew. */
  #counted = 0

  constructor(count: CountBytes) {
    this.#count = count
  }

  /** Adds JSON that was not counted yet. */
  add(json: string): this {
    this.#text += json
    return this
  }

  addText({ parts, rest, restBytes }: JsonText): this {
    if (parts.length > 0) this.#flush()
    for (const part of parts) {
      this.#parts.push(part)
      this.#bytes += part.length
    }
    this.#text += rest
    this.#counted += restBytes
    if (this.#text.length >= PART_LENGTH) this.#flush()
    return this
  }

  #flush(): void {
    if (this.#text === '') return
    const bytes = Buffer.byteLength(this.#text)
    this.#count(bytes - this.#counted)
    this.#bytes += bytes
    this.#parts.push(this.#text)
    this.#text = ''
    this.#counted = 0
  }

  end(): JsonParts {
    this.#flush()
    return { parts: this.#parts, bytes: this.#bytes }
  }
}
