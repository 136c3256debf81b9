// `response_format` and `tools` in one request both hold (TOOL-8): what `tool_choice` allows decides which of them shows.
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { type Members, namesField } from '../../../../contract/capabilities.ts'
import type { Case, CaseContext } from '../../case.ts'
import { isSuccess, messagesOf, succeeded } from '../requests/chat-calls.ts'
import { eitherWay, readAnswer, requireOrdinary } from '../streaming/streamed-answers.ts'
import { FLAT_FORMAT, JSON_OBJECT, answerIn, contentMatches, jsonObject } from '../wire/json-answers.ts'
import {
  CONVERT,
  LOOK_UP,
  MOST_TRIES,
  answerWithTools,
  callsOf,
  isUnfinished,
  named,
  requireFinished,
} from '../tools/tool-requests.ts'
import { strictSchemas } from '../tools/strict-schemas.ts'
import { argumentJson, atLeastOne, callNames, noCall } from '../tools/verifiers.ts'

/** Asks for JSON, as a service may demand, and for what a tool does. */
const PROMPT = 'Look up the word stone, and answer in JSON.'

const TOOLS = [LOOK_UP, CONVERT]
const NAMES = TOOLS.map(({ function: { name } }) => name)
const FIELDS = ['response_format', 'tools', 'tool_choice'] as const

interface Format {
  readonly slug: string
  readonly response_format: object
  readonly holds: Verifier
}

const FORMATS: readonly Format[] = [
  { slug: 'json-object', response_format: JSON_OBJECT, holds: jsonObject },
  { slug: 'json-schema', response_format: FLAT_FORMAT, holds: contentMatches(strictSchemas.flat) },
]

interface Choice {
  readonly slug: string
  readonly tool_choice: unknown
  /** `either`: the model decides. */
  readonly shows: 'content' | 'call' | 'either'
  readonly names: readonly string[]
}

const CHOICES: readonly Choice[] = [
  { slug: 'none', tool_choice: 'none', shows: 'content', names: [] },
  { slug: 'required', tool_choice: 'required', shows: 'call', names: NAMES },
  { slug: 'named', tool_choice: named(CONVERT.function.name), shows: 'call', names: [CONVERT.function.name] },
  { slug: 'auto', tool_choice: 'auto', shows: 'either', names: NAMES },
]

/** The first of these verifiers that does not hold. */
const all =
  (...verifiers: readonly Verifier[]): Verifier =>
  (exchange, target) => {
    for (const verifier of verifiers) {
      const mismatch = verifier(exchange, target)
      if (mismatch !== undefined) return mismatch
    }
    return undefined
  }

async function bothHold(t: CaseContext, format: Format, choice: Choice, streamed: boolean): Promise<void> {
  const { response_format, holds } = format
  const { tool_choice, names } = choice
  await t.target.requireField('response_format', { response_format })
  await t.target.requireField('tools')
  await t.target.requireField('tool_choice', { tools: TOOLS, tool_choice })
  const members: Members = { tools: TOOLS, tool_choice, ...(streamed ? { stream: true } : {}) }
  const exchange = await wholeAnswer(t, { messages: messagesOf(PROMPT), response_format, ...members })
  if (exchange.response.status === 400 && FIELDS.some((field) => namesField(exchange, field)))
    t.notApplicable('the target refuses response_format beside tools by name')
  if (!isSuccess(exchange)) await requireOrdinary(t, streamed)
  t.expect(exchange, succeeded)
  if (streamed) readAnswer(t, exchange)
  requireFinished(t, exchange)

  const isCall = choice.shows === 'call' || (choice.shows === 'either' && callsOf(exchange).length > 0)
  const verifier = isCall ? all(atLeastOne, callNames(names), argumentJson) : all(noCall, holds)
  if (verifier(exchange, t.target) !== undefined) {
    // A service that does not hold one of them alone either fails the row of that one.
    const alone = isCall
      ? await answerWithTools(
          t,
          choice.shows === 'either' ? { ...members, tool_choice: 'required' } : members,
        )
      : await answerIn(t, response_format, { streamed, content: PROMPT })
    if (verifier(alone, t.target) !== undefined)
      t.inconclusive(
        `this does not hold alone either, which ${isCall ? 'TOOL-1 and TOOL-3' : 'WIRE-17 and WIRE-18'} judge`,
      )
  }
  t.expect(exchange, verifier)
}

/** An answer that came to its end, if one of several does. */
async function wholeAnswer(t: CaseContext, request: Members): Promise<Exchange> {
  for (let tries = 1; ; tries += 1) {
    const exchange = await t.finished((bound) => t.chat({ ...bound, ...request }))
    if (!isSuccess(exchange) || !isUnfinished(exchange) || tries === MOST_TRIES) return exchange
  }
}

export const formatCases: readonly Case[] = FORMATS.flatMap((format) =>
  CHOICES.flatMap((choice) =>
    eitherWay(
      `tools.${format.slug}-beside-${choice.slug}`,
      'TOOL-8',
      `\`response_format\`: ${format.slug.replace('-', '_')}, and \`tool_choice\`: ${choice.slug}`,
    ).run((t, { streamed }) => bothHold(t, format, choice, streamed)),
  ),
)
