// The parsers of an engine: calls and thoughts of a model whose texts are known (PARSE-1 to PARSE-10). They need a puppet.
import { json } from '../../../../../harness/http/exchange.ts'
import { at, listAt } from '../../../../../harness/json-value.ts'
import type { Puppet, PuppetScript } from '../../../../../spec/schemas/puppet.ts'
import type { RequirementId } from '../../../../../spec/catalogue/requirements.ts'
import type { Members } from '../../../../contract/capabilities.ts'
import type { Case, CaseContext } from '../../case.ts'
import { check } from '../../case.ts'
import { eitherWay, type Way } from '../streaming/streamed-answers.ts'
import { cutDifference, differenceOf, isUnparsed, withoutMarkers } from './expectations.ts'
import { ask, came, puppetOf, say, type ScriptAnswer, scriptsOf, wrote } from './script-answers.ts'

type ScriptKind = PuppetScript['kind']

const NO_PARSER =
  'the engine reads neither calls nor thoughts of this kind: they stay in the content, for each script'

/** Scripts that are cut at each token have no more tokens than this. */
const SHORT_TOKENS = 40
/** A quick run cuts a script at about this number of places. */
const QUICK_CUTS = 6

/** A request without logprobs and one with them, for which a few engines take another path. */
async function variants(t: CaseContext): Promise<readonly Members[]> {
  return t.quick || !(await t.target.supports('logprobs')) ? [{}] : [{}, { logprobs: true }]
}

/** Asks for each script of some kinds, and judges what came; not applicable if nothing of all this is parsed. */
async function judgeScripts(
  t: CaseContext,
  way: Way,
  kinds: readonly ScriptKind[],
  more: (script: PuppetScript, answer: ScriptAnswer) => void = () => {},
): Promise<void> {
  const puppet = puppetOf(t)
  const scripts = scriptsOf(t, ...kinds)
  if (kinds.some((kind) => kind !== 'text' && kind !== 'thoughts')) await t.target.requireField('tools')
  const seen: { script: PuppetScript; answer: ScriptAnswer }[] = []
  for (const members of await variants(t))
    for (const script of scripts)
      seen.push({ script, answer: await say(t, script, { ...way.members, ...members }) })
  const judged = seen.map(({ script, answer }) => ({
    script,
    answer,
    difference: differenceOf(script, answer, puppet),
  }))
  if (
    judged.every(
      ({ script, answer, difference }) => difference !== undefined && isUnparsed(script, answer, puppet),
    )
  )
    t.notApplicable(NO_PARSER)
  const others: string[] = []
  for (const { script, answer, difference } of judged) {
    if (difference !== undefined && (wroteOn(script, answer) || (await wroteAnother(t, script, puppet)))) {
      others.push(script.id)
      continue
    }
    t.assert(difference === undefined, difference ?? { expected: '', actual: '' }, answer.exchange)
    more(script, answer)
  }
  if (others.length > 0)
    t.inconclusive(
      `the model wrote other tokens than its scripts, as under a grammar of the engine: ${[...new Set(others)].join(', ')}`,
    )
}

/** Whether the answer is longer than its script, whose end is before the bound: the model did not write the script alone. */
function wroteOn({ pieces }: PuppetScript, { finish, tokens }: ScriptAnswer): boolean {
  return finish === 'length' && (tokens === undefined || tokens > pieces.length + 1)
}

/**
 * Whether the model wrote another text than its script, as under a grammar that names the functions: the log probabilities of the
 * plain answer have its tokens. False if they have none, or those of the content alone.
 */
async function wroteAnother(t: CaseContext, script: PuppetScript, puppet: Puppet): Promise<boolean> {
  if (!(await t.target.supports('logprobs'))) return false
  const { exchange, content, reasoning } = await say(t, script, { logprobs: true })
  const tokens = listAt(json(exchange), 'choices', 0, 'logprobs', 'content').map((entry) => {
    const bytes = listAt(entry, 'bytes').map(Number)
    return bytes.length > 0 ? Buffer.from(bytes) : Buffer.from(String(at(entry, 'token')))
  })
  const bare = (text: string): string => withoutMarkers(text, puppet)
  const written = bare(Buffer.concat(tokens).toString('utf8'))
  const isOfContent = [content, reasoning + content].some((text) => bare(text) === written)
  return written !== '' && !isOfContent && !written.startsWith(bare(script.raw))
}

function parses(
  id: string,
  row: RequirementId,
  title: string,
  ...kinds: readonly ScriptKind[]
): readonly Case[] {
  return eitherWay(`parse.${id}`, row, title).run((t, way) => judgeScripts(t, way, kinds))
}

/** The calls of an answer have their own ids, and in a stream their own indexes. */
function ownIds(t: CaseContext): (script: PuppetScript, answer: ScriptAnswer) => void {
  return (script, answer) => {
    const { calls, exchange } = answer
    const isApart = (values: readonly unknown[]): boolean => new Set(values).size === values.length
    t.assert(
      isApart(calls.map(({ id }) => id)) && calls.every(({ index }, place) => index === place),
      { expected: `script ${script.id}: calls with ids and indexes of their own`, actual: came(answer) },
      exchange,
    )
  }
}

/** The parts that a client compares: JSON values of arguments, and texts but for white space at their ends. */
const compared = ({ content, reasoning, calls, finish }: ScriptAnswer): string =>
  JSON.stringify([
    content.trim(),
    reasoning.trim(),
    calls.map(({ name, text, values }) => [name, values ?? text]),
    finish,
  ])

const sameStream = check('parse.same-stream', 'PARSE-3', 'each script, streamed and plain').run(
  async (t: CaseContext) => {
    const { scripts } = puppetOf(t)
    const kinds = [...new Set(scripts.map(({ kind }) => kind))]
    for (const script of scriptsOf(t, ...kinds)) {
      const plain = await say(t, script)
      const streamed = await say(t, script, { stream: true })
      t.assert(
        compared(plain) === compared(streamed),
        {
          expected: `script ${script.id}: the plain answer ${came(plain)}`,
          actual: `${came(streamed)}; ${wrote(script)}`,
        },
        streamed.exchange,
      )
    }
  },
)

const cuts = eitherWay('parse.cut', 'PARSE-7', 'answers that `max_tokens` cuts, at each token').run(
  async (t: CaseContext, way) => {
    const puppet = puppetOf(t)
    const kinds: readonly ScriptKind[] = ['text', 'call', 'calls', 'thoughts']
    const short = scriptsOf(t, ...kinds).filter(({ pieces }) => pieces.length <= SHORT_TOKENS)
    let isJudged = false
    for (const script of short) {
      const whole = await say(t, script, way.members)
      // Without a parser, the markers that the model wrote are the content.
      if (!script.expect.isExact && isUnparsed(script, whole, puppet)) continue
      const step = t.quick ? Math.ceil(script.pieces.length / QUICK_CUTS) : 1
      for (let tokens = 1; tokens < script.pieces.length; tokens += step) {
        isJudged = true
        const answer = await say(t, script, { ...way.members, tokens })
        const difference = cutDifference(script, tokens, answer, puppet)
        t.assert(difference === undefined, difference ?? { expected: '', actual: '' }, answer.exchange)
      }
    }
    if (!isJudged) t.notApplicable(NO_PARSER)
  },
)

/** Each text that the model wrote arrives, as content or as a call. */
const kept =
  (members: (script: PuppetScript) => Members) =>
  async (t: CaseContext, way: Way): Promise<void> => {
    const puppet = puppetOf(t)
    for (const script of scriptsOf(t, 'call', 'text-and-call')) {
      const answer = await ask(t, script, { ...members(script), ...way.members })
      const isContent = withoutMarkers(`${answer.reasoning}${answer.content}`, puppet).includes(
        withoutMarkers(script.raw, puppet),
      )
      t.assert(
        isContent || differenceOf(script, { ...answer, finish: 'tool_calls' }, puppet) === undefined,
        {
          expected: `script ${script.id}: its whole text, or its calls`,
          actual: `${came(answer)}; ${wrote(script)}`,
        },
        answer.exchange,
      )
    }
  }

export const cases: readonly Case[] = [
  ...parses('text', 'PARSE-1', 'texts without markup', 'text'),
  ...parses('call', 'PARSE-2', 'a call', 'call'),
  sameStream,
  ...eitherWay('parse.calls', 'PARSE-4', 'several calls').run((t, way) =>
    judgeScripts(t, way, ['calls'], ownIds(t)),
  ),
  ...parses('text-and-call', 'PARSE-5', 'text before and after a call', 'text-and-call'),
  ...parses('thoughts', 'PARSE-6', 'thoughts before a text or a call', 'thoughts'),
  ...cuts,
  ...parses('arguments', 'PARSE-8', 'arguments that are hard to read', 'arguments'),
  ...parses('quoted', 'PARSE-9', 'markup that is only quoted', 'quoted'),
  ...eitherWay('parse.without-tools', 'PARSE-10', 'calls that were not offered').run(kept(() => ({}))),
  ...eitherWay('parse.no-choice', 'PARSE-10', 'calls with `tool_choice`: none').run(
    kept(({ tools }) => ({ tools, tool_choice: 'none' })),
  ),
]
