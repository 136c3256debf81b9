// A reverse proxy that changes nothing but the `Host` and the address of a request: it joins two connections byte by byte, in the pieces in
// which they arrive, and records the exchanges that it sees.
import { once } from 'node:events'
import net, { type AddressInfo } from 'node:net'
import tls from 'node:tls'
import { UsageError, whyNotListening } from '../../../harness/cli/usage-error.ts'
import { pathAt, targetOf, urlAt } from '../../../harness/http/service-address.ts'
import type { Connection } from '../../../harness/http/connection.ts'
import { type CaptureState, createConnectionRecorder } from './connection-recorder.ts'
import type { Mark } from './message-reader.ts'

/**
 * Starts the proxy before the service at an address (as in `service-address.ts`). A client names its operations under `/v1`,
 * or under the path that they have at the service. The port is of this machine alone, because the proxy holds the keys of
 * its clients; `ca` are the certificate authorities of a service with TLS. Throws `UsageError` if the port is taken.
 */
export async function startCaptureProxy(
  baseUrl: string,
  port: number,
  record: CaptureState['record'],
  ca?: Connection['ca'],
) {
  const root = new URL(baseUrl)
  const state: CaptureState = {
    openBytes: 0,
    baseUrl,
    record,
    decoding: new Set(),
  }
  const joined = new Set<{ end(): void }>()
  const server = net.createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, (client) => {
    const pair = join(client, connect(root, ca), root, state)
    joined.add(pair)
    client.on('close', () => joined.delete(pair))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening').catch((error: unknown) => {
    throw new UsageError(`--listen ${port}: ${whyNotListening(error, port)}`)
  })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Ends its connections, and resolves when every exchange is recorded. */
    async end(): Promise<void> {
      server.close()
      for (const pair of joined) pair.end()
      await Promise.all(state.decoding)
    },
  }
}

/** Joins a client with a new connection to the service. */
function join(client: net.Socket, service: net.Socket, root: URL, state: CaptureState): { end(): void } {
  const recorder = createConnectionRecorder(state)
  const rewriter = createHeadRewriter(root.host, (path) =>
    targetOf(urlAt(state.baseUrl, pathAt(state.baseUrl, path))),
  )

  forward(client, service, (bytes) => rewriter.change(bytes, recorder.sent(bytes)), rewriter.rest)
  forward(service, client, (bytes) => {
    recorder.received(bytes)
    return [bytes]
  })
  service.on('end', () => recorder.receivedEnd())
  let reason: string | undefined
  service.on('error', (error) => (reason = error.message))
  client.on('error', () => {})
  // Whichever side goes first takes the other with it; by then an orderly end has passed through.
  client.on('close', (hadError) => {
    recorder.closed('client')
    if (hadError && !service.destroyed) service.resetAndDestroy()
    else service.destroy()
  })
  service.on('close', (hadError) => {
    recorder.receivedEnd()
    recorder.closed('service', reason ?? 'the connection was closed before an answer')
    if (hadError && !client.destroyed) client.resetAndDestroy()
    else if (client.writableFinished) client.destroy()
    else client.destroySoon()
  })
  client.resume()
  return {
    end() {
      recorder.closed('client')
      client.destroy()
    },
  }
}

function connect({ protocol, hostname, port }: URL, ca: Connection['ca']): net.Socket {
  const host = hostname.replace(/^\[|\]$/g, '')
  const to = { host, port: Number(port || (protocol === 'https:' ? 443 : 80)), allowHalfOpen: true }
  const service =
    protocol === 'https:'
      ? tls.connect({
          ...to,
          ca,
          ALPNProtocols: ['http/1.1'],
          ...(net.isIP(host) === 0 ? { servername: host } : {}),
        })
      : net.connect(to)
  return service.setNoDelay(true)
}

/**
 * Sends the bytes of one connection to the other, no faster than that takes them; its end ends the other's, after the bytes
 * that were held back.
 */
function forward(
  from: net.Socket,
  to: net.Socket,
  change: (bytes: Buffer) => readonly Buffer[],
  rest: () => readonly Buffer[] = () => [],
): void {
  from.on('data', (bytes: Buffer) => {
    let isReady = true
    for (const piece of change(bytes)) isReady = to.write(piece) && isReady
    if (!isReady) from.pause()
  })
  to.on('drain', () => from.resume())
  from.on('end', () => {
    for (const piece of rest()) to.write(piece)
    to.end()
  })
}

/** Replaces the `Host` in the head of each request, and its path with that at the service. */
function createHeadRewriter(host: string, atService: (path: string) => string) {
  /** The bytes of a head whose end has not come; undefined in a body. */
  let head: Buffer[] | undefined = []
  return {
    /** The bytes to send for these, which have these marks; undefined marks: they are not HTTP/1.1. */
    change(bytes: Buffer, marks: readonly Mark[] | undefined): readonly Buffer[] {
      if (marks === undefined) {
        const raw = [...(head ?? []), bytes]
        head = undefined
        return raw
      }
      const out: Buffer[] = []
      let from = 0
      for (const { offset, what } of marks) {
        const piece = bytes.subarray(from, offset)
        from = offset
        if (what === 'head') {
          out.push(rewritten(Buffer.concat([...(head ?? []), piece]), host, atService))
          head = undefined
        } else {
          if (piece.length > 0) out.push(piece)
          head = []
        }
      }
      const left = bytes.subarray(from)
      if (head !== undefined) head.push(left)
      else if (left.length > 0) out.push(left)
      return out
    },
    /** The bytes of a head whose end never came. */
    rest: (): readonly Buffer[] => head ?? [],
  }
}

function rewritten(head: Buffer, host: string, atService: (path: string) => string): Buffer {
  const text = head.toString('latin1')
  const changed = text
    .replace(/^([\r\n]*\S+ )(\/\S*)/, (_, method: string, path: string) => method + atService(path))
    .replace(/^(host[ \t]*:[ \t]*)[^\r\n]*/im, (_, name: string) => name + host)
  return changed === text ? head : Buffer.from(changed, 'latin1')
}
