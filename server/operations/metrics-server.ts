// GET /metrics on a port of its own, so that clients of the service cannot reach its figures.
import { createServer, type Server } from 'node:http'
import type { Metrics } from './metrics.ts'

/** Makes a server that does not listen yet. It answers one path, and reads no body. */
export function createMetricsServer(metrics: Pick<Metrics, 'scrape'>): Server {
  const server = createServer({ requestTimeout: 5000, headersTimeout: 5000 }, async (request, response) => {
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
  server.maxConnections = 16
  return server
}
