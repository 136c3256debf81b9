// The cost of the framework alone: Hono on `node:http` parses the body and writes the answer of BARE_ANSWER, without
// key, schema, limit or log. The reference server cannot be faster.
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { bareAnswer, serve } from './bare-answer.ts'

const { contentType, pieces } = bareAnswer
const headers = { 'content-type': contentType }
const encoder = new TextEncoder()

const app = new Hono()
app.all('*', async (context) => {
  if (context.req.method === 'POST') JSON.parse(await context.req.text())
  return new Response(pieces.length === 1 ? pieces[0] : streamOf(pieces), { headers })
})

function streamOf(texts: readonly string[]): ReadableStream<Uint8Array> {
  const waiting = texts.values()
  return new ReadableStream({
    pull(controller) {
      const { done, value } = waiting.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
  })
}

const listener = getRequestListener(app.fetch)
serve((incoming, outgoing) => void listener(incoming, outgoing))
