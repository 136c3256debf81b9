// Requests that name a script of a puppet, and their answers as they are compared: texts, thoughts, calls and the reason for
// the end, plain or streamed.
import type { Puppet, PuppetScript } from '../../../../../spec/schemas/puppet.ts'
import { type Members, namesField } from '../../../../contract/capabilities.ts'
import { readStream } from '../../../../../harness/http/event-stream.ts'
import { type Exchange, json } from '../../../../../harness/http/exchange.ts'
import { at, listAt, parseJson, show } from '../../../../../harness/json-value.ts'
import type { CaseContext } from '../../case.ts'
import { readsAsStream } from '../requests/asked.ts'
import { isSuccess } from '../requests/chat-calls.ts'
import { choicesIn, readAnswer } from '../streaming/streamed-answers.ts'

/** Tokens beyond those of the script: some engines count the end, or begin the answer themselves. */
const SPARE_TOKENS = 16

export interface ScriptAnswer {
  readonly exchange: Exchange
  readonly content: string
  readonly reasoning: string
  readonly calls: readonly ScriptCall[]
  readonly finish: unknown
  /** The tokens that the engine counts, if it does. */
  readonly tokens: number | undefined
  /** The deltas of a stream, without their empty members; empty for a plain answer. */
  readonly pieces: readonly unknown[]
}

interface ScriptCall {
  readonly id: unknown
  readonly index: unknown
  readonly name: unknown
  readonly text: string
  /** The arguments; undefined if they are not JSON. */
  readonly values: unknown
}

/** The puppet of the run. Without one the case is not applicable. */
export function puppetOf(t: CaseContext): Puppet {
  return (
    t.target.puppet ??
    t.notApplicable('no puppet was given (--puppet FILE): the texts of the model are not known')
  )
}

/** The scripts of some kinds; a quick run has the first of each kind. */
export function scriptsOf(
  t: CaseContext,
  ...kinds: readonly PuppetScript['kind'][]
): readonly PuppetScript[] {
  const { scripts } = puppetOf(t)
  const own = kinds.map((kind) => scripts.filter((script) => script.kind === kind))
  const chosen = own.flatMap((scripts) => (t.quick ? scripts.slice(0, 1) : scripts))
  if (chosen.length === 0) t.notApplicable('the family of the puppet has no such script')
  return chosen
}

const OFFER = ({ tools }: PuppetScript): Members => ({ tools, tool_choice: 'auto' })

/** Asks for a script with its functions, and reads the answer. One that is refused or not whole is not judged here. */
export async function say(
  t: CaseContext,
  script: PuppetScript,
  members: Members = {},
): Promise<ScriptAnswer> {
  return ask(t, script, { ...OFFER(script), ...members })
}

/** Asks for a script with these members alone. */
export async function ask(t: CaseContext, script: PuppetScript, members: Members): Promise<ScriptAnswer> {
  const bound = (await t.target.supports('max_tokens')) ? 'max_tokens' : 'max_completion_tokens'
  const { tokens = script.pieces.length + SPARE_TOKENS, ...others } = members
  const request = { temperature: 0, [bound]: tokens, ...others }
  const exchange = await t.chat({ messages: [{ role: 'user', content: script.prompt }], ...request })
  // A service may refuse the combination of logprobs and calls, by name.
  if (
    exchange.response.status === 400 &&
    members['logprobs'] !== undefined &&
    namesField(exchange, 'logprobs')
  ) {
    const { logprobs: _, ...less } = members
    return ask(t, script, less)
  }
  if (!isSuccess(exchange))
    t.assert(
      false,
      {
        expected: `an answer of the script ${script.id}`,
        actual: `status ${exchange.response.status}: ${show(at(json(exchange), 'error', 'message'))}; ${wrote(script)}`,
      },
      exchange,
    )
  if (members['stream'] === true) readAnswer(t, exchange)
  return answerOf(exchange)
}

function answerOf(exchange: Exchange): ScriptAnswer {
  const [choice] = choicesIn(exchange)
  const isStream = readsAsStream(exchange)
  const chunks = isStream ? readStream(exchange).chunks : []
  const deltas = chunks.flatMap((chunk) => listAt(chunk, 'choices')).map((piece) => at(piece, 'delta'))
  const messages = isStream
    ? deltas
    : listAt(json(exchange), 'choices')
        .slice(0, 1)
        .map((first) => at(first, 'message'))
  const bodies = isStream ? chunks : [json(exchange)]
  const tokens = bodies
    .map((body) => at(body, 'usage', 'completion_tokens'))
    .findLast((count) => count !== undefined)
  const textIn = (member: string): string =>
    messages
      .map((message) => at(message, member))
      .filter((text) => typeof text === 'string')
      .join('')
  const calls = isStream
    ? (readStream(exchange).choices[0]?.toolCalls ?? [])
    : listAt(messages[0], 'tool_calls').map((call, index) => ({
        index,
        id: at(call, 'id'),
        name: at(call, 'function', 'name'),
        arguments: at(call, 'function', 'arguments'),
      }))
  return {
    exchange,
    content: typeof choice?.content === 'string' ? choice.content : '',
    reasoning: textIn('reasoning_content') || textIn('reasoning'),
    calls: calls.map(({ id, index, name, arguments: written }) => {
      const text = typeof written === 'string' ? written : ''
      return { id, index, name, text, values: parseJson(text) }
    }),
    finish: choice?.finishReason,
    tokens: typeof tokens === 'number' ? tokens : undefined,
    pieces: deltas.map((delta) =>
      Object.fromEntries(Object.entries(delta ?? {}).filter(([, value]) => (value ?? '') !== '')),
    ),
  }
}

/** The text that the model wrote, for a report. */
export const wrote = ({ raw, pieces }: PuppetScript, tokens?: number): string =>
  tokens === undefined
    ? `the model wrote ${JSON.stringify(raw)}`
    : `the model wrote ${tokens} of ${pieces.length} tokens: ${JSON.stringify(rawUpTo(pieces, tokens))}`

/** The text of the first tokens; a cut character is U+FFFD. */
export function rawUpTo(pieces: PuppetScript['pieces'], tokens: number): string {
  const bytes = pieces
    .slice(0, tokens)
    .map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : Buffer.from(piece)))
  return Buffer.concat(bytes).toString('utf8')
}

/** The answer that came, for a report. */
export function came({ content, reasoning, calls, finish, pieces }: ScriptAnswer): string {
  const parts = {
    content,
    ...(reasoning !== '' && { reasoning }),
    ...(calls.length > 0 && { calls: calls.map(({ name, text }) => ({ name, arguments: text })) }),
    finish_reason: finish,
  }
  return pieces.length === 0 ? show(parts) : `${show(parts)} in the pieces ${show(pieces)}`
}
