// Compares a stream of the upstream with the one that reached the client (GATE-3, GATE-13): what a reader makes of the
// deltas, however they were joined or split.
import type { Exchange } from '../../../../harness/http/exchange.ts'
import { type FoldedChoice, type StreamReading, readStream } from '../../../../harness/http/event-stream.ts'
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
    finish_reasons: finishReasons,
    tool_calls: toolCalls,
    'logprobs.content': logprobs('content'),
    'logprobs.refusal': logprobs('refusal'),
  }
}

/** The joined texts of the members of deltas that the format does not know, by choice and name. */
export function vendorStreamDifference(upstream: Exchange, client: Exchange): Difference | undefined {
  const [sent, arrived] = [readStream(upstream), readStream(client)].map((stream) =>
    Object.fromEntries(stream.choices.map(({ index, deltas }) => [index, vendorTexts(deltas)])),
  )
  return differenceOf(sent, arrived, { mayAdd: () => true })
}

function vendorTexts(deltas: readonly unknown[]): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {}
  for (const delta of deltas) {
    if (!isRecord(delta)) continue
    for (const [name, value] of Object.entries(delta))
      if (!answerNames.has(name) && typeof value === 'string') texts[name] = (texts[name] ?? '') + value
  }
  return texts
}
