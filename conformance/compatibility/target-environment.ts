// The environment of the programs of client libraries for a service of another operator.
import { connectionOf } from '../../harness/http/connection.ts'
import { createProbe } from '../../harness/http/probe.ts'
import { preflight } from '../target/preflight.ts'
import { NO_KEY } from '../target/target.ts'

/** The time limit of the requests that find the model, in milliseconds: it may have to be loaded. */
const FIRST_ANSWER_MS = 120_000

interface Target {
  readonly baseUrl: string
  /** The model that was named. */
  readonly model: string | undefined
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** Finds the model of a service. Throws `UsageError` if it cannot be reached, or does not chat. */
export async function targetEnvironment({ baseUrl, model, environment }: Target, signal: AbortSignal) {
  const { CONFORMANCE_API_KEY: key = '', CONFORMANCE_LIMITED_KEY: limited } = environment
  const connection = connectionOf(environment)
  const probe = createProbe({ baseUrl, key, timeoutMs: FIRST_ANSWER_MS, connection })
  try {
    const found = await preflight({
      baseUrl,
      profile: 'wire',
      key,
      model,
      ask: (request) => probe.send(request, signal),
    })
    const address = baseUrl.replace(/\/$/, '')
    const own = key === '' ? NO_KEY : key
    return {
      BASE_URL: address,
      OPENAI_BASE_URL: `${address}/v1`,
      API_KEY: own,
      OPENAI_API_KEY: own,
      ...(key === '' ? {} : { WRONG_KEY: 'svc_sk_wrong' }),
      ...(limited === undefined ? {} : { LIMITED_KEY: limited }),
      MODEL: found.model,
      OPENAI_MODEL: found.model,
    }
  } finally {
    probe.close()
  }
}
