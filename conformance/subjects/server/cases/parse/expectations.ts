// The demands on an answer to a script, from the script alone. White space between texts and markup is not judged.
import { isDeepStrictEqual } from 'node:util'
import type { Puppet, PuppetScript } from '../../../../../spec/schemas/puppet.ts'
import { isRecord } from '../../../../../harness/json-value.ts'
import { came, rawUpTo, type ScriptAnswer, wrote } from './script-answers.ts'

export interface Difference {
  readonly expected: string
  readonly actual: string
}

/** How an answer differs from what its script demands; undefined if it does not. */
export function differenceOf(
  script: PuppetScript,
  answer: ScriptAnswer,
  puppet: Puppet,
): Difference | undefined {
  const { content, reasoning, tool_calls: calls } = script.expect
  const demand = (holds: boolean, expected: string): Difference | undefined =>
    holds
      ? undefined
      : { expected: `script ${script.id}: ${expected}`, actual: `${came(answer)}; ${wrote(script)}` }
  return (
    demand(
      answer.calls.length === calls.length &&
        calls.every(({ name }, index) => answer.calls[index]?.name === name),
      calls.length === 0 ? 'no call' : `calls of ${calls.map(({ name }) => name).join(', ')}`,
    ) ??
    demand(
      calls.every(({ arguments: values }, index) => isDeepStrictEqual(answer.calls[index]?.values, values)),
      `the arguments ${calls.map(({ arguments: values }) => JSON.stringify(values)).join(' and ')}`,
    ) ??
    demand(
      reasoning === null ? answer.reasoning.trim() === '' : answer.reasoning.trim() === reasoning.trim(),
      reasoning === null ? 'no thoughts' : `the thoughts ${JSON.stringify(reasoning)}`,
    ) ??
    demand(
      script.kind === 'quoted'
        ? withoutMarkers(content.join(''), puppet) === withoutMarkers(answer.content, puppet)
        : script.expect.isExact
          ? isWhole(content[0] ?? '', answer.content)
          : areTexts(content, answer.content),
      `the content ${JSON.stringify(content.join('\n'))}`,
    ) ??
    demand(
      answer.finish === (calls.length > 0 ? 'tool_calls' : 'stop'),
      `finish_reason ${calls.length > 0 ? 'tool_calls' : 'stop'}`,
    )
  )
}

/** A text without markup; one newline at each end may be trimmed. */
function isWhole(text: string, came: string): boolean {
  return [text, text.replace(/^\n/, ''), text.replace(/\n$/, ''), text.replace(/^\n|\n$/g, '')].includes(came)
}

/** Whether a content is these texts in order, with nothing but white space between them. */
function areTexts(texts: readonly string[], content: string): boolean {
  let rest = content.trim()
  for (const text of texts.map((one) => one.trim())) {
    if (!rest.startsWith(text)) return false
    rest = rest.slice(text.length).trimStart()
  }
  return rest === ''
}

const compact = (text: string): string => text.replaceAll(/\s+/g, '')

/** The text without the markers of the family, of which some are hidden by an engine, and without white space. */
export function withoutMarkers(text: string, { markers }: Puppet): string {
  return compact(
    markers
      .toSorted((a, b) => b.length - a.length)
      .reduce((rest, marker) => rest.replaceAll(marker, ''), text),
  )
}

/** Whether the engine did not parse at all: the whole text is the content. */
export function isUnparsed(script: PuppetScript, answer: ScriptAnswer, puppet: Puppet): boolean {
  return (
    answer.calls.length === 0 &&
    answer.reasoning === '' &&
    withoutMarkers(answer.content, puppet) === withoutMarkers(script.raw, puppet)
  )
}

/** How an answer that was cut after some tokens breaks PARSE-7; undefined if it does not. */
export function cutDifference(
  script: PuppetScript,
  tokens: number,
  answer: ScriptAnswer,
  { markers }: Puppet,
): Difference | undefined {
  const raw = rawUpTo(script.pieces, tokens)
  const seen = `${came(answer)}; ${wrote(script, tokens)}`
  const wrong = (expected: string): Difference => ({
    expected: `script ${script.id}: ${expected}`,
    actual: seen,
  })
  if (answer.finish !== 'length') return wrong(`finish_reason length after ${tokens} tokens`)
  const quoted = script.expect.content.join('\n')
  for (const text of [answer.content, answer.reasoning]) {
    const marker = markers.find((one) => raw.includes(one) && text.includes(one) && !quoted.includes(one))
    if (marker !== undefined) return wrong(`no ${marker} in a text`)
  }
  for (const [index, { name, text, values }] of answer.calls.entries()) {
    const call = script.expect.tool_calls[index]
    if (call === undefined || name !== call.name) return wrong(`no call but those of the script`)
    const isWhole = isDeepStrictEqual(values, call.arguments)
    if (isWhole ? !areIn(call.arguments, raw) : isRecord(values))
      return wrong(`of the arguments ${JSON.stringify(call.arguments)} only what came`)
    if (!isWhole && !compact(JSON.stringify(call.arguments)).startsWith(compact(text).replace(/\uFFFD$/, '')))
      return wrong(`the beginning of the arguments ${JSON.stringify(call.arguments)}`)
  }
  return undefined
}

/** Whether a text has all values of the arguments, as JSON or as they are. */
function areIn(values: Readonly<Record<string, unknown>>, raw: string): boolean {
  return Object.values(values).every(
    (value) => raw.includes(JSON.stringify(value)) || (typeof value === 'string' && raw.includes(value)),
  )
}
