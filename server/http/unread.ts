// The bytes of answers that wait in memory for their readers. A client that sends requests and reads no answer would
// otherwise fill the memory of the process, so they are bounded for each key and for the process.
import { errorCodes } from '../../spec/protocol/error.ts'
import { ApiError, unavailable } from './api-error.ts'

export interface UnreadBounds {
  /** Maximum size of the answers to one key, in bytes. */
  readonly unreadBytesPerKey: number
  /** Maximum size of all answers of this process, in bytes. */
  readonly unreadBytes: number
}

/** `Retry-After` of a refusal, in seconds: answers leave quickly when they are read. */
const RETRY_SECONDS = 1

export class Unread {
  readonly #bounds: UnreadBounds
  #bytes = 0
  readonly #ofKeys = new Map<string, number>()

  constructor(bounds: UnreadBounds) {
    this.#bounds = bounds
  }

  /** Size of all answers, in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  /** Begins the account of one answer. */
  open(keyId: string): HeldBytes {
    return new HeldBytes(this, keyId)
  }

  /** Throws a 429 if the answers of the key would hold more than its bound, and a 503 for the bound of the process. */
  add(keyId: string, bytes: number): void {
    const { unreadBytesPerKey, unreadBytes } = this.#bounds
    const ofKey = (this.#ofKeys.get(keyId) ?? 0) + bytes
    if (bytes > 0 && ofKey > unreadBytesPerKey)
      throw new ApiError(
        429,
        errorCodes.rateLimitExceeded,
        `Answers to this key that were not read yet may hold ${unreadBytesPerKey} bytes: read them, or request smaller ones. Retry in ${RETRY_SECONDS} s.`,
        { headers: { 'Retry-After': String(RETRY_SECONDS) } },
      )
    if (bytes > 0 && this.#bytes + bytes > unreadBytes)
      throw unavailable('Too many answers wait for their readers.', RETRY_SECONDS)
    this.#bytes += bytes
    if (ofKey === 0) this.#ofKeys.delete(keyId)
    else this.#ofKeys.set(keyId, ofKey)
  }
}

/** The account of one answer. */
export class HeldBytes {
  readonly #unread: Unread
  readonly #keyId: string
  #bytes = 0

  constructor(unread: Unread, keyId: string) {
    this.#unread = unread
    this.#keyId = keyId
  }

  /** Adds bytes. Throws the 429 or 503 of a bound, and adds none then. */
  hold(bytes: number): void {
    this.#unread.add(this.#keyId, bytes)
    this.#bytes += bytes
  }

  /** Frees bytes, at most those that are held. */
  free(bytes: number): void {
    const freed = Math.min(bytes, this.#bytes)
    this.#bytes -= freed
    this.#unread.add(this.#keyId, -freed)
  }

  /** Frees all of them. Safe to call twice. */
  end(): void {
    if (this.#bytes > 0) this.free(this.#bytes)
  }
}
