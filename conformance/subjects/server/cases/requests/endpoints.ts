// The endpoints of the specification, each with the smallest request that it accepts.
import type { Members } from '../../../../contract/capabilities.ts'
import type { CaseContext } from '../../case.ts'
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import type { RequestSpec } from '../../../../../harness/http/probe.ts'
import { type Verifier, showBody } from '../../../../../harness/verify/verify.ts'

export const CHAT_PATH = '/v1/chat/completions'
export const MODELS_PATH = '/v1/models'

export interface Endpoint {
  readonly slug: string
  readonly title: string
  /** A well-formed request, with the target's key unless another is given. */
  request(context: CaseContext): RequestSpec
}

/** The path of a model's record; the id is percent-encoded as client libraries do it (WIRE-16). */
export const modelPath = (id: string): string => `${MODELS_PATH}/${encodeURIComponent(id)}`

/** The smallest valid chat request for a model, with these members added. */
export function chatRequest(model: string, members: Members = {}): RequestSpec {
  const messages = [{ role: 'user', content: 'Say OK.' }]
  return { path: CHAT_PATH, body: JSON.stringify({ model, messages, ...members }) }
}

const endpoint = (slug: string, title: string, request: Endpoint['request']): Endpoint => {
  return { slug, title, request }
}

export const modelList = endpoint('models', 'GET /v1/models', () => ({ path: MODELS_PATH }))

/** Whether an exchange is a list of models, whatever its body is. */
export const isModelList = ({ request, response }: Exchange): boolean =>
  request.method === 'GET' && /^\/v1\/models\/?(?:[?#]|$)/.test(request.path) && response.status === 200

export const chat = endpoint('chat', 'POST /v1/chat/completions', ({ target }) => chatRequest(target.model))
export const streamedChat = endpoint('stream', 'POST /v1/chat/completions with stream: true', ({ target }) =>
  chatRequest(target.model, { stream: true }),
)
/** WIRE-16 is a SHOULD: a service may lack it. */
export const modelRecord = endpoint('record', 'GET /v1/models/{id}', ({ target }) => {
  return { path: modelPath(target.model) }
})

export const requiredEndpoints: readonly Endpoint[] = [modelList, chat]

export const endpoints: readonly Endpoint[] = [modelList, chat, streamedChat, modelRecord]

/** The answer does not refuse the key. `whose` names the key, for example `the main key`. */
export function keyAccepted(whose: string): Verifier {
  return (exchange) => {
    const code = exchange.response.status
    if (code !== 401 && code !== 403) return undefined
    return { expected: `${whose} to be accepted`, actual: `status ${code}, ${showBody(exchange)}` }
  }
}
