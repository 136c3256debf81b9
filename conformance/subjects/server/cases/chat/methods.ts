// Every method on the endpoints is answered, with any status but that of a server error (CHAT-9).
import { type Case, type Variants, check } from '../../case.ts'
import { completeAnswer } from '../../../../../harness/verify/verify.ts'
import { CHAT_PATH, MODELS_PATH } from '../requests/endpoints.ts'
import { notServerError } from './hostile-bodies.ts'

const BOTH = [CHAT_PATH, MODELS_PATH]

/** The paths on which each method is tried, and the body. No request could delete a model. */
const methods: Variants<[paths: readonly string[], body?: string]> = {
  get: ['GET', BOTH],
  head: ['HEAD', BOTH],
  options: ['OPTIONS', BOTH],
  post: ['POST', [MODELS_PATH], '{}'],
  put: ['PUT', BOTH, '{}'],
  patch: ['PATCH', BOTH, '{}'],
  delete: ['DELETE', [CHAT_PATH]],
  trace: ['TRACE', BOTH],
}

export const methodCases: readonly Case[] = Object.entries(methods).map(([slug, [method, paths, body]]) =>
  check(`chat.method-${slug}`, 'CHAT-9', `${method} of the endpoints`).run(async (t) => {
    for (const path of paths) {
      const exchange = await t.send({ method, path, ...(body === undefined ? {} : { body }) })
      t.expect(exchange, notServerError, completeAnswer)
    }
  }),
)
