// Preloaded into each worker of a server: every answer names its worker, and a request to /fail ends the worker that gets it.
import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { isMainThread, threadId } from 'node:worker_threads'

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

function fail(): never {
  throw new Error('a defect of a worker, which holds svc_sk_made-up')
}

if (!isMainThread)
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as Exchange
    response.setHeader('x-worker', threadId)
    if (request.url === '/fail') setImmediate(fail)
  })
