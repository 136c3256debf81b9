// Turns deltas into the records of an event stream: one chunk with its role for each choice first, then a chunk for each
// delta (STREAM-3 to STREAM-8). Members that never change within a stream or a choice are encoded once.
import type { ChatCompletionChunk } from '../../spec/schemas/response.ts'
import { DONE, encodeComment, encodeRecord } from '../../spec/protocol/sse.ts'
import type { Delta } from '../engines/engine.ts'
import { type AnswerHead, DeltaEncoder } from './plain-completion.ts'
import { needsNoEscape } from './growing-json.ts'

export interface ChunkOptions {
  readonly head: AnswerHead
  /** Choices that were requested. */
  readonly n: number
  /** `stream_options.include_usage` (STREAM-7). */
  readonly includeUsage: boolean
}

type ChunkChoice = ChatCompletionChunk['choices'][number]

const END = encodeRecord(DONE)
const KEEP_ALIVE = encodeComment('keep-alive')

export class ChunkWriter {
  readonly #head: AnswerHead
  readonly #n: number
  readonly #includeUsage: boolean
  readonly #encoder = new DeltaEncoder()
  /** The records that were not taken yet. If they are ASCII, their length in bytes is known. */
  #text = ''
  #isAscii: boolean
  /** The text of a record before its choices, and after them. */
  #opening: string
  readonly #closing: string
  /** The text after the delta of a choice that goes on. */
  readonly #goingOn: string
  /** The text before and after the characters of a content, by choice. */
  #beforeContent: string[] = []
  readonly #afterContent: string
  #isOpen = false

  constructor({ head, n, includeUsage }: ChunkOptions) {
    this.#head = head
    this.#n = n
    this.#includeUsage = includeUsage
    this.#isAscii = needsNoEscape(head.model)
    this.#opening = openingOf(head, head.serviceTier)
    this.#closing = includeUsage ? '],"usage":null}\n\n' : ']}\n\n'
    this.#goingOn = `,"finish_reason":null}${this.#closing}`
    this.#afterContent = includeUsage
      ? '"},"finish_reason":null}],"usage":null}\n\n'
      : '"},"finish_reason":null}]}\n\n'
  }

  /** The length of the records that were not taken yet, in UTF-16 code units. */
  get length(): number {
    return this.#text.length
  }

  /** Takes the records. */
  take(): { readonly text: string; readonly bytes: number } {
    const text = this.#text
    this.#text = ''
    return { text, bytes: this.#isAscii ? text.length : Buffer.byteLength(text) }
  }

  addEnd(): void {
    this.#text += END
  }

  addKeepAlive(): void {
    this.#text += KEEP_ALIVE
  }

  add(delta: Delta): void {
    if (!this.#isOpen && delta.type !== 'service-tier') this.#open(delta)
    if (delta.type === 'text' && delta.logprobs === undefined) this.#addContent(delta.index, delta.text)
    else {
      this.#isAscii &&= delta.type === 'finish' || (delta.type === 'usage' && !this.#includeUsage)
      this.#text += this.#record(delta)
    }
  }

  /** One chunk per choice with its role (STREAM-4); beside calls the content is null, as in a plain answer. */
  #open({ type }: Delta): void {
    this.#isOpen = true
    const content = type === 'tool-call' || type === 'refusal' ? 'null' : '""'
    for (let index = 0; index < this.#n; index += 1)
      this.#text += `${this.#before(index)}{"role":"assistant","content":${content},"refusal":null}${this.#goingOn}`
  }

  /** The text of a record before the delta of a choice. */
  #before(index: number): string {
    return `${this.#opening}{"index":${index},"delta":`
  }

  #addContent(index: number, text: string): void {
    // `join` makes a flat string; a concatenation would be flattened again for every record.
    const before = (this.#beforeContent[index] ??= [this.#before(index), '{"content":"'].join(''))
    let json = text
    if (!needsNoEscape(text)) {
      this.#isAscii = false
      json = this.#encoder.string(text).slice(1, -1)
    }
    this.#text += before + json + this.#afterContent
  }

  #record(delta: Delta): string {
    switch (delta.type) {
      case 'service-tier':
        this.#opening = openingOf(this.#head, delta.tier)
        this.#beforeContent = []
        return ''
      case 'text': {
        const { text, logprobs = [] } = delta
        return `${this.#before(delta.index)}{"content":${this.#encoder.string(text)}},"logprobs":{"content":[${this.#encoder.logprobs(logprobs)}],"refusal":null}${this.#goingOn}`
      }
      case 'refusal':
        return this.#choice({
          index: delta.index,
          delta: { refusal: delta.text },
          finish_reason: null,
          ...(delta.logprobs === undefined
            ? {}
            : { logprobs: { content: null, refusal: [...delta.logprobs] } }),
        })
      case 'members':
        return this.#members(delta)
      case 'tool-call':
        return this.#choice({
          index: delta.index,
          delta: { tool_calls: [toolCallFragment(delta)] },
          finish_reason: null,
        })
      case 'finish':
        return `${this.#before(delta.index)}{},"finish_reason":"${delta.reason}"}${this.#closing}`
      case 'usage':
        return this.#includeUsage ? `${this.#opening}],"usage":${JSON.stringify(delta.usage)}}\n\n` : ''
    }
  }

  /** The record of unknown members of a delta, a choice or a chunk. */
  #members({ index, of, members }: Extract<Delta, { type: 'members' }>): string {
    const json = JSON.stringify(members)
    if (of === 'message') return `${this.#before(index)}${json}${this.#goingOn}`
    const own = `,${json.slice(1, -1)}`
    const choice = `${this.#before(index)}{},"finish_reason":null`
    if (of === 'choice') return `${choice}${own}}${this.#closing}`
    return `${choice}}${this.#closing.replace('}\n', `${own}}\n`)}`
  }

  #choice(choice: ChunkChoice): string {
    return this.#opening + JSON.stringify(choice) + this.#closing
  }
}

function openingOf({ id, created, model }: AnswerHead, serviceTier: string | undefined): string {
  const tier = serviceTier === undefined ? '' : `,"service_tier":${JSON.stringify(serviceTier)}`
  return `data: {"id":"${id}","object":"chat.completion.chunk","created":${created},"model":${JSON.stringify(model)}${tier},"choices":[`
}

/** The first fragment of a call carries its id, type and name; later ones only more of the arguments (TOOL-5). */
function toolCallFragment({
  call,
  id,
  name,
  arguments: args,
  members,
}: Extract<Delta, { type: 'tool-call' }>) {
  const { call: ofCall = {}, function: ofFunction = {} } = members ?? {}
  if (id === undefined || name === undefined)
    return { index: call, ...ofCall, function: { arguments: args, ...ofFunction } }
  return {
    index: call,
    id,
    type: 'function' as const,
    ...ofCall,
    function: { name, arguments: args, ...ofFunction },
  }
}
