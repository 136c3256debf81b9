// The bytes of a body, for the server and for the judge.

/**
 * Bytes that arrive in chunks. A peer may send a body byte by byte, and a small chunk takes far more memory than its
 * bytes, so all chunks but the first are copied to one buffer.
 */
export class GrowingBytes {
  length = 0
  #bytes: Buffer = Buffer.alloc(0)

  add(chunk: Buffer): void {
    const length = this.length + chunk.length
    if (this.length === 0) this.#bytes = chunk
    else {
      if (length > this.#bytes.length) {
        const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#bytes.length))
        this.#bytes.copy(larger, 0, 0, this.length)
        this.#bytes = larger
      }
      chunk.copy(this.#bytes, this.length)
    }
    this.length = length
  }

  /** The bytes so far, as a part of the buffer or of the first chunk. */
  all(): Buffer {
    return this.#bytes.subarray(0, this.length)
  }
}
