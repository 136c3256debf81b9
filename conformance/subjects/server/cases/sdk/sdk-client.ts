// The official `openai` library, set up as a user would, with every exchange recorded.
import type OpenAI from 'openai'
import type { CaseContext } from '../../case.ts'
import { CheckFailure, Inconclusive, NotApplicable } from '../../../../contract/outcome.ts'
import { TransportError } from '../../../../../harness/http/transport-error.ts'
import { FETCH_ROOT, NO_KEY } from '../../../../contract/target.ts'
import { show } from '../../../../../harness/json-value.ts'
import { PROMPT } from '../requests/chat-calls.ts'

/** Loads the library with the first call: it has hundreds of modules, and a list of checks needs none of them. */
export const loadLibrary = () => import('openai')

type Messages = { role: 'user'; content: string }[]

/** The library as a user would set it up, but that every exchange is recorded, and retries are the judge's own. */
export async function client(t: CaseContext, apiKey = t.target.key): Promise<OpenAI> {
  const { OpenAI: Library } = await loadLibrary()
  return new Library({
    baseURL: `${FETCH_ROOT}/v1`,
    apiKey: apiKey === '' ? NO_KEY : apiKey,
    // Nothing of the judge's own environment reaches the target.
    organization: null,
    project: null,
    maxRetries: 0,
    logLevel: 'off',
    fetch: t.fetch,
  })
}

/** A request for a short answer, with at most `tokens` tokens if it needs more than a few words. */
export async function question(
  t: CaseContext,
  content = PROMPT,
  tokens?: number,
): Promise<{ model: string; messages: Messages; max_tokens?: number }> {
  return { model: t.target.model, messages: [{ role: 'user', content }], ...(await t.target.brief(tokens)) }
}

/** Lets the library work; what it throws is a failure, unless no answer came or the case has ended itself. */
export async function works<Result>(t: CaseContext, call: () => Promise<Result>): Promise<Result> {
  try {
    return await call()
  } catch (error) {
    throwOwn(t, error)
    t.assert(false, { expected: 'a call that works', actual: describe(error) })
    throw error
  }
}

const outcomes = [CheckFailure, Inconclusive, NotApplicable, TransportError]

/** Throws what the judge itself has thrown, from under the errors that the library has wrapped it in. */
export function throwOwn(t: CaseContext, error: unknown): void {
  t.signal.throwIfAborted()
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
    if (outcomes.some((outcome) => cause instanceof outcome)) throw cause
}

export function describe(error: unknown): string {
  return error instanceof Error ? `${error.constructor.name}: ${error.message}` : show(error)
}
