// GET /metrics on a port of its own, so that clients of the service cannot reach its figures.
import { createServer, type Server } from 'node:http'
import { Connections } from '../connections/connections.ts'
import { EarlyAnswer } from '../connections/early-answer.ts'
import type { Metrics } from './metrics.ts'

const REQUEST_TIMEOUT_MS = 5000

/** A scraper needs one connection, and reads at once. */
const BOUNDS = {
  maxConnections: 16,
  maxConnectionsPerAddress: 16,
  trustedProxies: () => false,
  writeTimeoutMs: 5000,
  closeGraceMs: 1000,
  maxDiscardedBytes: 1_048_576,
}

/** Makes a server that does not listen yet. It answers one path, and reads no body. */
export function createMetricsServer(metrics: Pick<Metrics, 'scrape'>): Server {
  const times = {
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: 1000,
  }
  const server = createServer({ ...times, ServerResponse: EarlyAnswer }, async (request, response) => {
    connections.addAnswer(response)
    request.resume()
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('GET /metrics\n')
      return
    }
    try {
      const { contentType, text } = await metrics.scrape()
      response.writeHead(200, { 'content-type': contentType }).end(text)
    } catch {
      response.writeHead(500, { 'content-type': 'text/plain' }).end('the figures could not be gathered\n')
    }
  })
  const connections = new Connections(server, BOUNDS)
  return server
}
