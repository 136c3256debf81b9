// A token of the model whose id and text are both known, for the rows about `logit_bias`: a request names tokens by id,
// an answer shows text.
import { type Exchange, json } from '../../harness/http/exchange.ts'
import { at } from '../../harness/json-value.ts'
import { choicesOf, contentOf } from '../../harness/verify/verify-completion.ts'
import type { Members } from '../contract/capabilities.ts'
import type { KnownToken, Target } from '../contract/target.ts'

/** A token of a model whose tokens are code points, such as the echo model of the reference server. */
export const ECHO_TOKEN: KnownToken = { id: '97', text: 'a' }

/** Ids that are letters or short words in most vocabularies. A high bias forces one of them. */
const COMMON_IDS = ['40', '60', '100', '104', '110', '120', '150', '200']

interface Asked {
  readonly target: Pick<Target, 'echoes' | 'deterministic' | 'requireDeterministic' | 'supports'>
  /** Sends a chat request with these members beside `model`. */
  readonly chat: (members: Members) => Promise<Exchange>
}

/**
 * Finds a token. A bias shows whether the tokens of an echo model are code points; its name proves nothing. Another
 * model reports the tokens of its answer: some services with their ids, and a biased id shows its text.
 */
export async function findToken({ target, chat }: Asked): Promise<KnownToken | undefined> {
  if (await target.echoes()) {
    const without = async (id: string): Promise<string | undefined> =>
      contentOf(
        await chat({
          messages: [{ role: 'user', content: 'ab' }],
          max_tokens: 4,
          logit_bias: { [id]: -100 },
        }),
      )
    return (await without('97')) === 'b' && (await without('98')) === 'a' ? ECHO_TOKEN : undefined
  }
  if (!(await target.supports('logprobs')) || !(await target.supports('logit_bias'))) return undefined
  if (!(await target.deterministic())) return undefined
  const { request } = await target.requireDeterministic()
  const [own] = reportedOf(await chat({ ...request, logprobs: true }))
  if (own === undefined) return undefined
  if (own.id !== undefined) return { id: own.id, text: own.text, request }
  for (const id of COMMON_IDS) {
    const [forced] = reportedOf(await chat({ ...request, logprobs: true, logit_bias: { [id]: 100 } }))
    if (forced !== undefined && forced.text !== own.text && isWhole(forced.text))
      return { id, text: forced.text }
  }
  return undefined
}

/** A part of a character is shown as U+FFFD, which does not identify a token. */
function isWhole(text: string): boolean {
  return text.trim() !== '' && !text.includes('\uFFFD')
}

/** The tokens that an answer reports, with their ids if the service adds those. */
function reportedOf(exchange: Exchange) {
  const entries = at(choicesOf(json(exchange))[0], 'logprobs', 'content')
  if (!Array.isArray(entries)) return []
  return entries.flatMap((entry) => {
    const [text, id] = [at(entry, 'token'), at(entry, 'id')]
    return typeof text === 'string' ? [{ text, id: Number.isInteger(id) ? String(id) : undefined }] : []
  })
}
