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

/** The variables that lead every program to a service: its own, and those that the official libraries read. */
export function environmentOf(baseUrl: string, key: string, model: string) {
  const address = baseUrl.replace(/\/$/, '')
  const official = { OPENAI_BASE_URL: `${address}/v1`, OPENAI_API_KEY: key, OPENAI_MODEL: model }
  return { BASE_URL: address, API_KEY: key, MODEL: model, ...official }
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
    return {
      ...environmentOf(baseUrl, key === '' ? NO_KEY : key, found.model),
      ...(key === '' ? {} : { WRONG_KEY: 'svc_sk_wrong' }),
      ...(limited === undefined ? {} : { LIMITED_KEY: limited }),
    }
  } finally {
    probe.close()
  }
}
