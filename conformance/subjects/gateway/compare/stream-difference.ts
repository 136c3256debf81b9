// Compares a stream of the upstream with the one that reached the client (GATE-3, GATE-13): what a reader makes of the
// deltas, however they were joined or split.
import type { Exchange } from '../../../../harness/http/exchange.ts'
import { type FoldedChoice, type StreamReading, readStream } from '../../../../harness/http/event-stream.ts'
import { exactJson } from '../../../../harness/json-text.ts'
import { at, isRecord, listAt } from '../../../../harness/json-value.ts'
import { type Difference, differenceOf } from './json-difference.ts'
import { answerNames } from './known-members.ts'

/** The first difference between two whole streams. */
export function streamDifference(upstream: Exchange, client: Exchange): Difference | undefined {
  const [sent, arrived] = [readStream(upstream), readStream(client)]
  const index = arrived.records.findIndex((record) => !isRecord(record))
  if (index !== -1)
    return {
      path: ['records', index],
      sent: 'a chunk',
      arrived: arrived.records[index] ?? arrived.events[index]?.data,
    }
  return differenceOf(meaningOf(sent), meaningOf(arrived))
}

/** The meaning of a stream: each choice as a reader joins it, and how the stream ends. */
function meaningOf(stream: StreamReading) {
  return {
    choices: Object.fromEntries(stream.choices.map((choice) => [choice.index, joined(choice, stream)])),
    errors: stream.errors,
    'number of `[DONE]`': stream.doneCount,
    'events after `[DONE]`': stream.afterDone,
  }
}

function joined({ index, content, refusal, finishReasons, toolCalls }: FoldedChoice, stream: StreamReading) {
  const own = stream.chunks
    .flatMap((chunk) => listAt(chunk, 'choices'))
    .filter((choice) => at(choice, 'index') === index)
  const logprobs = (name: string): readonly unknown[] =>
    own.flatMap((choice) => listAt(choice, 'logprobs', name))
  return {
    content: content ?? '',
    refusal: refusal ?? '',
    // A gateway that loses the calls often changes the reason, too: the calls are the cause.
    tool_calls: toolCalls.map((call) => ({ ...call, ...namesOf(call.index, own) })),
    finish_reasons: finishReasons,
    'logprobs.content': logprobs('content'),
    'logprobs.refusal': logprobs('refusal'),
  }
}

/**
 * The ids and names of the fragments of a call, as often as they came: some readers join them, and for others an empty one
 * replaces that of the first.
 */
function namesOf(index: number, choices: readonly unknown[]) {
  const fragments = choices
    .flatMap((choice) => listAt(choice, 'delta', 'tool_calls'))
    .filter((fragment) => at(fragment, 'index') === index)
  const every = (...path: readonly string[]): readonly unknown[] =>
    fragments.flatMap((fragment) => at(fragment, ...path) ?? [])
  return { fragment_ids: every('id'), fragment_names: every('function', 'name') }
}

/** The first member that the format does not know, at any depth of the chunks, and that did not arrive. */
export function vendorStreamDifference(upstream: Exchange, client: Exchange): Difference | undefined {
  const arrived = vendorMembers(exactChunks(client))
  for (const [place, values] of vendorMembers(exactChunks(upstream))) {
    const others = arrived.get(place) ?? []
    // Texts of deltas may be joined and split.
    const isText = place.includes('.delta.') && values.every((value) => typeof value === 'string')
    const isSame = isText
      ? values.join('') === others.join('')
      : values.every((value) => others.some((other) => differenceOf(value, other) === undefined))
    const shown = (one: readonly unknown[]): unknown => (isText && one.length > 0 ? one.join('') : one[0])
    if (!isSame) return { path: [place], sent: shown(values), arrived: shown(others) }
  }
  return undefined
}

/** The chunks of a stream, with exact numbers. */
const exactChunks = (stream: Exchange): readonly unknown[] =>
  readStream(stream).events.flatMap(({ data }) => exactJson(data) ?? [])

/** The values of unknown members by their places, in order. */
function vendorMembers(chunks: readonly unknown[]): ReadonlyMap<string, readonly unknown[]> {
  const found = new Map<string, unknown[]>()
  const add = (place: string, value: unknown): void => {
    for (const [name, member] of isRecord(value) ? Object.entries(value) : []) {
      if (answerNames.has(name) || member === null) continue
      found.set(`${place}${name}`, [...(found.get(`${place}${name}`) ?? []), member])
    }
  }
  for (const chunk of chunks) {
    add('', chunk)
    for (const choice of listAt(chunk, 'choices')) {
      const place = `choices[${String(at(choice, 'index'))}]`
      add(`${place}.`, choice)
      add(`${place}.delta.`, at(choice, 'delta'))
      for (const fragment of listAt(choice, 'delta', 'tool_calls')) {
        const call = `${place}.delta.tool_calls[${String(at(fragment, 'index'))}].`
        add(call, fragment)
        add(`${call}function.`, at(fragment, 'function'))
      }
    }
  }
  return found
}
