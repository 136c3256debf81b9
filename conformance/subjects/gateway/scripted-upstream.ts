// The upstream of a gateway: the scripted service, which recognises a scenario by the marker in the prompt. Any other
// request, such as a health check, gets a good answer.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { UsageError, whyNotListening } from '../../../harness/cli/usage-error.ts'
import { parseJson } from '../../../harness/json-value.ts'
import { answer, jsonReply, modelList } from '../../../harness/scripted-service/scripted-answers.ts'
import { writeReply } from '../../../harness/scripted-service/received-call.ts'
import { clockMs } from '../../../harness/scripted-service/measuring-clock.ts'
import { type Reply, PLAIN_REQUEST, askedIn } from '../../../harness/scripted-service/scripted-reply.ts'
import {
  type LocalService,
  startScriptedService,
} from '../../../harness/scripted-service/scripted-service.ts'

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
      onOther: answerOther,
    })
  } catch (error) {
    throw new UsageError(`--listen ${port}: ${whyNotListening(error, port)}`)
  }
}

/** The paths of health checks. */
const HEALTH = /^\/(?:v1\/)?(?:health|healthz|health_check|ready|readyz|live|livez|ping)?(?:[/?]|$)/

function answerOther(incoming: IncomingMessage, response: ServerResponse, body: Buffer | undefined): boolean {
  const { method = '', url: path = '' } = incoming
  const reply = replyToOther(method, path, body)
  if (reply === undefined) return false
  const request = { method, url: path, path, headers: [] }
  void writeReply(response, { kind: 'stray', arrivedMs: clockMs(), request }, reply)
  return true
}

function replyToOther(method: string, path: string, body: Buffer | undefined): Reply | undefined {
  if (method === 'GET' && /\/models\/?(\?|$)/.test(path)) return modelList(UPSTREAM_MODEL)
  if (method === 'GET' && HEALTH.test(path)) return jsonReply(200, { status: 'ok' })
  if (method !== 'POST' || !path.startsWith('/v1/chat/completions')) return undefined
  return answer({
    ...PLAIN_REQUEST,
    ...askedIn(parseJson(body?.toString('utf8') ?? '')),
    model: UPSTREAM_MODEL,
    id: 'chatcmpl-touchstone',
    text: 'Touchstone is ready.',
  })
}
