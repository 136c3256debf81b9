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
  // No event of a request that has ended already will come.
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
  // The client disconnects during its answer if the body has ended.
  incoming.on('error', (error) => end(incompleteBody(error)))
}
