// The upstream of a gateway: the scripted service, which recognises a scenario by the marker in the prompt. Any other
// request, such as a health check, gets a good answer.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { at, parseJson } from '../../harness/verify/json-value.ts'
import { answer } from '../clients/scripted-service/answers.ts'
import { writeReply } from '../clients/scripted-service/call.ts'
import { clockMs } from '../clients/scripted-service/clock.ts'
import { type LocalService, startScriptedService } from '../clients/scripted-service/service.ts'

/** The model that the upstream lists. */
export const UPSTREAM_MODEL = 'touchstone-scripted'

const MARKER = /\btouchstone-scenario-([a-z0-9-]+)\./

/** The text by which the upstream recognises a scenario; ASCII without quotes, which no encoding changes. */
export function markerOf(name: string): string {
  return `touchstone-scenario-${name}.`
}

/** Starts the upstream. Throws `UsageError` if the port is taken. */
export async function startUpstream(port: number): Promise<LocalService> {
  try {
    return await startScriptedService({
      port,
      nameOf: (body) => MARKER.exec(body)?.[1],
      onOther: (request, response, body) => answerOther(request, response, body),
    })
  } catch (error) {
    throw new UsageError(`--listen ${port}: ${(error as Error).message}`)
  }
}

/** The paths of health checks. */
const HEALTH = /^\/(?:v1\/)?(?:health|healthz|health_check|ready|readyz|live|livez|ping)?(?:[/?]|$)/

function answerOther(request: IncomingMessage, response: ServerResponse, body: Buffer | undefined): boolean {
  const path = request.url ?? ''
  if (request.method === 'GET' && /\/models\/?(\?|$)/.test(path)) {
    const data = [{ id: UPSTREAM_MODEL, object: 'model', created: 0, owned_by: 'touchstone' }]
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ object: 'list', data }))
    return true
  }
  if (request.method === 'GET' && HEALTH.test(path)) {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}')
    return true
  }
  if (request.method !== 'POST' || !path.startsWith('/v1/chat/completions')) return false
  const asked = parseJson(body?.toString('utf8') ?? '')
  const reply = answer({
    model: UPSTREAM_MODEL,
    stream: at(asked, 'stream') === true,
    includeUsage: at(asked, 'stream_options', 'include_usage') === true,
    tools: false,
    id: 'chatcmpl-touchstone',
    text: 'Touchstone is ready.',
    elsewhere: '',
  })
  const call = {
    kind: 'stray',
    arrivedMs: clockMs(),
    request: { method: 'POST', url: path, path, headers: [] },
  } as const
  void writeReply(response, { ...call }, reply)
  return true
}
