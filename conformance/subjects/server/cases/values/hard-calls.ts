// Calls whose arguments and names are hard: they match the schema of a strict tool (TOOL-4), keep the names of tools (TOOL-1),
// and are the same streamed and plain, whole and cut (TOOL-5).
import { everyHardText, hardTexts } from '../../../../generate/hard-values.ts'
import type { Members } from '../../../../contract/capabilities.ts'
import { TOKEN_BOUNDS } from '../../../../contract/target.ts'
import type { Exchange } from '../../../../../harness/http/exchange.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { show } from '../../../../../harness/json-value.ts'
import { type Case, type CaseContext, check } from '../../case.ts'
import { isSuccess, messagesOf, steadyMembers } from '../requests/chat-calls.ts'
import { PLAIN_AGAIN, eitherWay } from '../streaming/streamed-answers.ts'
import {
  LOOK_UP,
  argumentsOf,
  askWithTools,
  callsOf,
  forcedCalls,
  named,
  requireFinished,
  requireTaken,
  strictObject,
  tool,
} from '../tools/tool-requests.ts'
import { validates } from '../tools/schema-matching.ts'
import { callNames, sameCallsAs } from '../tools/verifiers.ts'
import { hardSchemas, isThorough, titles } from './hard-schemas.ts'

const groups = Object.keys(hardSchemas) as readonly (keyof typeof hardSchemas)[]

const strictRequest = (schema: object): Members => ({
  tools: [tool('order', 'Takes an order.', schema, true)],
  tool_choice: 'required',
})

/** JSON in ASCII: a line that requests a call ends at no character of a text. */
const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\u0080-\uFFFF]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** Requests a call with hard words, for models that need no strict tool to say them. */
const HARD_WORDS = `Look up, with one call of look_up, exactly this word: ${hardTexts['two-bytes']} ${hardTexts['three-bytes']} ${hardTexts['four-bytes']} ${hardTexts.quotes} ${hardTexts.backslashes}
#call look_up ${asciiJson({ word: everyHardText })}`

const LOOSE: Members = { messages: messagesOf(HARD_WORDS), tools: [LOOK_UP], tool_choice: 'required' }

/** Every group that a service most likely follows, in one strict tool. */
const STRICT = strictRequest(
  strictObject({ letters: hardSchemas.letters, escapes: hardSchemas.escapes, edges: hardSchemas.edges }),
)

/** An answer with calls. Ends the case if the target refuses the schema. */
async function takenCalls(t: CaseContext, request: Members): Promise<Exchange> {
  const exchange = await askWithTools(t, request)
  requireTaken(t, exchange)
  if (!isSuccess(exchange)) return forcedCalls(t, request)
  requireFinished(t, exchange)
  if (callsOf(exchange).length === 0) t.inconclusive('no call came, which TOOL-3 judges')
  return exchange
}

/** The calls of a stream are those of the plain answer; both may differ if the plain ones differ from each other. */
async function sameEitherWay(t: CaseContext, request: Members): Promise<void> {
  const whole = { ...request, ...(await steadyMembers(t)) }
  const plain = await forcedCalls(t, whole)
  if (callsOf(plain).some((call) => typeof call.arguments !== 'string'))
    t.inconclusive('arguments are not a string, which TOOL-1 judges')
  const same = sameCallsAs(plain)
  const streamed = await forcedCalls(t, { ...whole, stream: true })
  for (let again = 0; again < PLAIN_AGAIN && same(streamed, t.target) !== undefined; again += 1)
    if (same(await forcedCalls(t, whole), t.target) !== undefined)
      t.notApplicable('the plain calls differ from one answer to the next')
  t.expect(streamed, same)
}

/** Whether the target takes these strict tools. */
async function takesStrict(t: CaseContext): Promise<boolean> {
  for (const field of ['tools', 'tool_choice', 'strict'])
    if (!(await t.target.supports(field, field === 'strict' ? STRICT : undefined))) return false
  return isSuccess(await askWithTools(t, STRICT))
}

/** Fewer tokens than the hard words have, and more than the name of their member. */
const CUT_TOKENS = 40

/** A service may give the last token of a cut call in one of both answers: as many characters as a token has. */
const TOKEN_CHARACTERS = 16

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/** The text of arguments that may be cut: without white space and JSON escapes, which a service may write in another way. */
function readable(text: string): string {
  const read = text.replace(/\\(u[0-9A-Fa-f]{4}|[^u])/g, (_, escaped: string) =>
    escaped.length > 1
      ? String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
      : (ESCAPES[escaped] ?? escaped),
  )
  // The cut may be within a character or an escape.
  return read.replaceAll(/\s/g, '').replace(/(\\u?[0-9A-Fa-f]{0,3}|[\uFFFD\uD800-\uDBFF]+)$/, '')
}

const argumentsIn = (exchange: Exchange): readonly string[] =>
  callsOf(exchange).map((call) => (typeof call.arguments === 'string' ? call.arguments : ''))

/** The arguments are alike as far as both go, and go about as far. */
function sameBeginningAs(plain: Exchange): Verifier {
  return (streamed) => {
    const [wanted, got] = [argumentsIn(plain), argumentsIn(streamed)]
    const odd = wanted.findIndex((text, place) => {
      const [one, other] = [readable(text), readable(got[place] ?? '')]
      const [short, long] = one.length < other.length ? [one, other] : [other, one]
      return !long.startsWith(short) || long.length - short.length > TOKEN_CHARACTERS
    })
    if (odd === -1) return undefined
    return { expected: `arguments ${show(wanted[odd])}, as in the plain answer`, actual: show(got[odd]) }
  }
}

async function sameWhenCut(t: CaseContext): Promise<void> {
  await t.target.requireDeterministic()
  for (const needed of ['tools', 'tool_choice']) await t.target.requireField(needed)
  let bound: string | undefined
  for (const field of TOKEN_BOUNDS) if (await t.target.supports(field)) bound ??= field
  if (bound === undefined) t.notApplicable('the target refuses every bound on tokens by name')
  const request = { ...LOOSE, ...(await steadyMembers(t)), [bound]: CUT_TOKENS }
  const plain = await t.chat(request)
  const streamed = await t.chat({ ...request, stream: true })
  // Some services refuse a call that cannot be finished, or leave it out.
  if (![plain, streamed].every((one) => isSuccess(one) && argumentsIn(one).some((text) => text !== '')))
    t.notApplicable('no call came, plain and streamed')
  const same = sameBeginningAs(plain)
  for (let again = 0; again < PLAIN_AGAIN && same(streamed, t.target) !== undefined; again += 1)
    if (same(await t.chat(request), t.target) !== undefined)
      t.notApplicable('the plain calls differ from one answer to the next')
  t.expect(streamed, same)
}

/** Names with every kind of character that a name may have, and of the greatest length. */
const HARD_TOOL_NAMES = ['-_0aZ', '0', `${'x'.repeat(32)}_${'Y'.repeat(31)}`] as const

export const hardCallCases: readonly Case[] = [
  ...groups.flatMap((group) =>
    eitherWay(`tools.hard-${group}`, 'TOOL-4', `arguments of a strict tool, ${titles[group]}`)
      .with({ thorough: isThorough(group) })
      .run(async (t, { members }) => {
        const request = { ...strictRequest(hardSchemas[group]), ...members }
        const exchange = await takenCalls(t, request)
        const values = callsOf(exchange).map(argumentsOf)
        if (values.includes(undefined)) t.inconclusive('the arguments are not JSON, which TOOL-1 judges')
        t.expect(
          exchange,
          validates(hardSchemas[group], 'a value of arguments', () => values),
        )
      }),
  ),
  ...eitherWay(
    'tools.hard-names-of-tools',
    'TOOL-1',
    'the names of tools with every character that one may have',
  )
    .with({ thorough: true })
    .run(async (t, { members }) => {
      const tools = HARD_TOOL_NAMES.map((name) => tool(name, 'Takes an order.', strictObject({})))
      for (const name of HARD_TOOL_NAMES) {
        const request = { tools, tool_choice: named(name), ...members }
        t.expect(await takenCalls(t, request), callNames([name]))
      }
    }),
  check('tools.same-hard-calls', 'TOOL-5', 'calls with hard words, streamed and plain').run(
    async (t: CaseContext) => {
      await t.target.requireDeterministic()
      await sameEitherWay(t, LOOSE)
      if (await takesStrict(t)) await sameEitherWay(t, STRICT)
    },
  ),
  check(
    'tools.same-cut-hard-calls',
    'TOOL-5',
    'calls with hard words that a bound cuts, streamed and plain',
  ).run(sameWhenCut),
]
