// Deploys a server at another address for tests: under another path, with a query, with a header of its own for keys.
import http from 'node:http'
import { onTestFinished } from 'vitest'
import { listening } from '../harness/http-server.fixture.ts'

/** A deployment of the reference server. */
interface Deployment {
  /** The path of the API, under which it answers alone. */
  readonly path: string
  /** The query without which it answers with 404. */
  readonly query?: string
  /** The header in which it expects the key. */
  readonly authHeader?: string
  /** Whether it lists its models. */
  readonly lists?: boolean
}

/** The lines of a head for the reference server: it gets a key alone, in the header `authHeader`, after `Bearer`. */
function forwarded(head: readonly string[], authHeader = 'authorization'): readonly string[] {
  const lines = Array.from(
    { length: head.length / 2 },
    (_, at) => [head[2 * at] ?? '', head[2 * at + 1] ?? ''] as const,
  )
  if (authHeader === 'authorization') return head
  return lines.flatMap(([name, value]) => {
    if (name.toLowerCase() === 'authorization') return []
    return name.toLowerCase() === authHeader ? ['Authorization', `Bearer ${value}`] : [name, value]
  })
}

/** Starts a proxy that deploys the server; returns its origin, and the targets of the requests that it got. */
export async function deploy(server: string, { path, query = '', authHeader, lists = true }: Deployment) {
  const targets: string[] = []
  const proxy = http.createServer((incoming, outgoing) => {
    const { url = '', method } = incoming
    targets.push(url)
    const [address = '', own = ''] = url.split(/\?(.*)/s)
    const isUnder = address === path || address.startsWith(`${path}/`)
    const isListed = lists || !address.endsWith('/models')
    if (!isUnder || !isListed || !own.startsWith(query)) return void outgoing.writeHead(404).end('not found')
    const { hostname, port } = new URL(server)
    const rest = own.slice(query.length).replace(/^&/, '')
    const to = `/v1${address.slice(path.length)}${rest === '' ? '' : `?${rest}`}`
    const headers = forwarded(incoming.rawHeaders, authHeader)
    const forward = http.request({ hostname, port, method, path: to, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.rawHeaders)
      answer.on('error', () => outgoing.destroy()).pipe(outgoing)
    })
    outgoing.on('close', () => forward.destroy())
    forward.on('error', () => outgoing.destroy())
    incoming.pipe(forward)
  })
  const { baseUrl: origin, ...started } = await listening(proxy)
  onTestFinished(() => started[Symbol.asyncDispose]())
  return { origin, targets }
}
