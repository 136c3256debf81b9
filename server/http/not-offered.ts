// Operations of client libraries that this service does not offer. They get the 404 of any unknown URL, with the name
// of a substitute.

interface NotOffered {
  /** Method and path, as the page of the server lists it. */
  readonly operation: string
  readonly matches: RegExp
  readonly instead: string
}

const CHAT = 'POST /v1/chat/completions is offered instead.'
const MODELS = 'GET /v1/models is offered instead.'

export const NOT_OFFERED: readonly NotOffered[] = [
  { operation: '/v1/responses', matches: /^[A-Z]+ \/v1\/responses(\/|$)/, instead: CHAT },
  { operation: '/v1/completions', matches: /^[A-Z]+ \/v1\/completions(\/|$)/, instead: CHAT },
  {
    operation: '/v1/embeddings',
    matches: /^[A-Z]+ \/v1\/embeddings(\/|$)/,
    instead: 'No model here makes embeddings; POST /v1/chat/completions is offered.',
  },
  {
    operation: 'GET, POST, DELETE /v1/chat/completions/{id}, GET /v1/chat/completions',
    matches: /^([A-Z]+ \/v1\/chat\/completions\/|GET \/v1\/chat\/completions$)/,
    instead: 'Completions are not stored: POST /v1/chat/completions answers at once.',
  },
  {
    operation: 'DELETE /v1/models/{id}',
    matches: /^DELETE \/v1\/models\//,
    instead: `Models belong to the operator; ${MODELS}`,
  },
]

/** A sentence that names the substitute for an operation that is not offered, with a space at its end; or ''. */
export function insteadOf(method: string, path: string): string {
  const known = NOT_OFFERED.find(({ matches }) => matches.test(`${method} ${path}`))
  return known === undefined ? '' : `${known.instead} `
}
