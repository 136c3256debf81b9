// Collects the bytes of a request's body, up to a bound.
import type { IncomingMessage } from 'node:http'
import { GrowingBytes } from '../../harness/bounds/growing-bytes.ts'
import type { ApiError } from './api-error.ts'
import { incompleteBody, tooLarge } from './json-body.ts'

/** Reads a body. Calls `done` once, with its bytes or with the 400 of a body over the bound or cut off. */
export function readBody(
  incoming: IncomingMessage,
  maxBytes: number,
  done: (body: Buffer | ApiError) => void,
  begun: Buffer | null = null,
): void {
  // A request that has already ended emits no events.
  if (incoming.destroyed) return done(incompleteBody(incoming.errored))
  const collected = new GrowingBytes()
  if (begun !== null) collected.add(begun)
  let isOver = false
  function end(body: Buffer | ApiError): void {
    if (isOver) return
    isOver = true
    done(body)
  }
  incoming.on('data', (chunk: Buffer) => {
    if (isOver) return
    collected.add(chunk)
    if (collected.length > maxBytes) end(tooLarge(maxBytes))
  })
  incoming.on('end', () => end(collected.all()))
  // Without effect if the body has ended and the client disconnects during its answer.
  incoming.on('error', (error) => end(incompleteBody(error)))
}
