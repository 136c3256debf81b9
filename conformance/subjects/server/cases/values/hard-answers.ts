// Answers with hard text: JSON that matches a strict schema of hard values (WIRE-18), echoes of every hard text (CHAT-8), and both
// streamed as they are plain, whole and cut (STREAM-6).
import { everyHardText, nulTexts } from '../../../../generate/hard-values.ts'
import type { Members } from '../../../../contract/capabilities.ts'
import { TOKEN_BOUNDS } from '../../../../contract/target.ts'
import type { Verifier } from '../../../../../harness/verify/verify.ts'
import { show } from '../../../../../harness/json-value.ts'
import { type Case, type CaseContext, check } from '../../case.ts'
import { isSuccess, messagesOf, succeeded } from '../requests/chat-calls.ts'
import {
  choicesIn,
  eitherWay,
  hasRequestedChoices,
  readAnswer,
  requireOrdinary,
} from '../streaming/streamed-answers.ts'
import { requireNoMarkup } from '../requests/markup.ts'
import { bothAnswers, expectSame, sameFinishAs, sameTextAs } from '../streaming/parity.ts'
import { requireTaken, strictObject } from '../tools/tool-requests.ts'
import { followsSchema, strictFormat } from '../wire/json-answers.ts'
import { hardSchemas, isThorough, titles } from './hard-schemas.ts'

const groups = Object.keys(hardSchemas) as readonly (keyof typeof hardSchemas)[]

/** Every hard text, and NUL. */
const TEXT = `Repeat: ${everyHardText}${nulTexts.nul}.`

/** Fewer tokens than the text has, and more than its first words. */
const CUT_TOKENS = 40

const inParts = (text: string): readonly unknown[] => [
  {
    role: 'user',
    content: [text.slice(0, 20), text.slice(20)].map((part) => ({ type: 'text', text: part })),
  },
]

/** The forms of a request whose echo is the text. */
const echoes: Readonly<Record<string, readonly [title: string, members: Members]>> = {
  text: ['as a string', { messages: messagesOf(TEXT) }],
  parts: ['in parts', { messages: inParts(TEXT) }],
  choices: ['as a string, two choices', { messages: messagesOf(TEXT), n: 2 }],
}

/** The text of every choice is the echo. */
const everyEcho: Verifier = (exchange) => {
  const odd = choicesIn(exchange).find(({ content }) => content !== TEXT)
  return odd === undefined ? undefined : { expected: show(TEXT), actual: show(odd.content) }
}

/** The parts may be joined with something between them, which no row forbids: an echo of parts contains each. */
const everyPart: Verifier = (exchange) => {
  const odd = choicesIn(exchange).find(
    ({ content }) =>
      typeof content !== 'string' ||
      ![TEXT.slice(0, 20), TEXT.slice(20)].every((part) => content.includes(part)),
  )
  return odd === undefined ? undefined : { expected: `the parts of ${show(TEXT)}`, actual: show(odd.content) }
}

/** A format of the groups that a service most likely follows. */
const FORMAT = strictFormat(
  'hard',
  strictObject({ letters: hardSchemas.letters, escapes: hardSchemas.escapes, edges: hardSchemas.edges }),
)

async function boundOf(t: CaseContext): Promise<Members> {
  for (const field of TOKEN_BOUNDS) if (await t.target.supports(field)) return { [field]: CUT_TOKENS }
  return t.notApplicable('the target refuses every bound on tokens by name')
}

async function sameEitherWay(t: CaseContext, members: Members): Promise<void> {
  await t.target.requireDeterministic()
  const both = await bothAnswers(t, members)
  await expectSame(t, both, sameTextAs(both.plain), sameFinishAs(both.plain))
}

export const hardAnswerCases: readonly Case[] = [
  ...groups.flatMap((group) =>
    eitherWay(
      `wire.json-schema-hard-${group}`,
      'WIRE-18',
      `\`response_format\`: a strict json_schema, ${titles[group]}`,
    )
      .with({ thorough: isThorough(group) })
      .run((t, { streamed }) => followsSchema(t, `hard_${group}`, hardSchemas[group], streamed)),
  ),
  ...Object.entries(echoes).flatMap(([slug, [title, request]]) =>
    eitherWay(`chat.echo-hard-${slug}`, 'CHAT-8', `every hard text, ${title}, of a model that echoes`).run(
      async (t, { streamed }) => {
        await t.target.requireEcho()
        if (slug === 'choices') await t.target.requireField('n')
        const exchange = await t.chat({ ...request, ...(streamed ? { stream: true } : {}) })
        if (!isSuccess(exchange) && slug !== 'text')
          t.notApplicable('such a request is refused, which WIRE-6, WIRE-9 and STREAM-8 judge')
        if (!isSuccess(exchange)) await requireOrdinary(t, streamed)
        t.expect(exchange, succeeded)
        if (streamed) readAnswer(t, exchange)
        if (streamed && !hasRequestedChoices(exchange))
          t.inconclusive('the choices cannot be distinguished, which STREAM-8 judges')
        requireNoMarkup(t, exchange)
        t.expect(exchange, slug === 'parts' ? everyPart : everyEcho)
      },
    ),
  ),
  check('stream.same-hard-text', 'STREAM-6', 'the answer to every hard text, streamed and plain').run((t) =>
    sameEitherWay(t, { messages: messagesOf(TEXT) }),
  ),
  check(
    'stream.same-cut-hard-text',
    'STREAM-6',
    'the answer to every hard text that a bound cuts, streamed and plain',
  ).run(async (t: CaseContext) => sameEitherWay(t, { messages: messagesOf(TEXT), ...(await boundOf(t)) })),
  check('stream.same-hard-json', 'STREAM-6', 'JSON with every hard text, streamed and plain').run(
    async (t: CaseContext) => {
      await t.target.requireField('response_format', { response_format: FORMAT })
      const members = { messages: messagesOf('Describe a stone in JSON.'), response_format: FORMAT }
      requireTaken(t, await t.chat(members))
      await sameEitherWay(t, members)
    },
  ),
]
