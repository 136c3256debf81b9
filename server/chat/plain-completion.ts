// Folds the deltas of an answer into one chat completion. The stream writer consumes the same deltas, so the two cannot
// disagree (STREAM-6). Each delta is encoded and counted when it arrives: a large answer is refused early, and its end
// does not block the event loop.
import type { FinishReason, TokenLogprob, Usage } from '../../spec/schemas/response.ts'
import type { Delta, DeltaIterator, Deltas, DeltaSource, UnknownMembers } from '../engines/engine.ts'
import type { JsonParts } from '../http/call.ts'
import { type CountBytes, JsonText, PartsWriter } from './growing-json.ts'
import { andThen, type Soon } from '../http/soon.ts'

/** The id and other common members: the same on the completion and on every chunk (STREAM-3). */
export interface AnswerHead {
  /** `chatcmpl-…`, different for every answer (WIRE-4). */
  readonly id: string
  /** Unix seconds. */
  readonly created: number
  readonly model: string
  /** The tier that serves the request, if it asks for one (WIRE-25). */
  readonly serviceTier?: string
}

/** The characters of a text, encoded, and the records of its log probabilities. */
class Spoken {
  readonly text = new JsonText()
  logprobs: JsonText | undefined

  add(
    { text, logprobs }: Extract<Delta, { type: 'text' | 'refusal' }>,
    encoder: DeltaEncoder,
    count: CountBytes,
  ) {
    this.text.add(encoder.string(text).slice(1, -1), count)
    if (logprobs === undefined || logprobs.length === 0) return
    if (this.logprobs === undefined) this.logprobs = new JsonText()
    else this.logprobs.add(',', count)
    this.logprobs.add(encoder.logprobs(logprobs), count)
  }
}

interface FoldedCall {
  readonly id: string
  readonly name: string
  readonly arguments: JsonText
  /** Members of the call and of its function that the format does not know, each with a comma before it. */
  readonly members: { readonly call: JsonText; readonly function: JsonText }
}

interface Choice {
  content: Spoken | undefined
  refusal: Spoken | undefined
  /** Members of the message and of the choice that the format does not know, each with a comma before it. */
  readonly members: { readonly message: JsonText; readonly choice: JsonText }
  /** The content is null, although there are neither calls nor a refusal. */
  isNull: boolean
  readonly calls: FoldedCall[]
  reason: FinishReason | undefined
}

/** All deltas of an answer with `n` choices as the JSON of one `ChatCompletion`. Fails as the engine fails. */
export function foldCompletion(
  answer: DeltaSource,
  head: AnswerHead,
  n: number,
  count: CountBytes,
): Soon<JsonParts> {
  const choices: Choice[] = []
  for (let index = 0; index < n; index += 1)
    choices.push({
      content: undefined,
      refusal: undefined,
      members: { message: new JsonText(), choice: new JsonText() },
      isNull: false,
      calls: [],
      reason: undefined,
    })
  const encoder = new DeltaEncoder()
  let usage: Usage | undefined
  let tier = head.serviceTier
  const ofAnswer = new JsonText()

  function addMembers(text: JsonText, members: UnknownMembers): void {
    const json = JSON.stringify(members)
    if (json !== '{}') text.add(`,${json.slice(1, -1)}`, count)
  }

  function add(delta: Exclude<Delta, { type: 'usage' | 'service-tier' }>): void {
    const choice = choices[delta.index]
    if (choice === undefined)
      throw new RangeError(
        `the engine sent a ${delta.type} delta for choice ${delta.index}, which was not requested`,
      )
    switch (delta.type) {
      case 'text':
        choice.content ??= new Spoken()
        choice.content.add(delta, encoder, count)
        break
      case 'refusal':
        choice.refusal ??= new Spoken()
        choice.refusal.add(delta, encoder, count)
        break
      case 'members':
        addMembers(delta.of === 'answer' ? ofAnswer : choice.members[delta.of], delta.members)
        break
      case 'tool-call': {
        const call = (choice.calls[delta.call] ??= {
          id: delta.id ?? '',
          name: delta.name ?? '',
          arguments: new JsonText(),
          members: { call: new JsonText(), function: new JsonText() },
        })
        if (delta.members !== undefined)
          for (const place of ['call', 'function'] as const)
            addMembers(call.members[place], delta.members[place])
        call.arguments.add(encoder.string(delta.arguments).slice(1, -1), count)
        break
      }
      case 'finish':
        choice.reason = delta.reason
        choice.isNull = delta.isNull === true
        break
    }
  }

  function take(deltas: Deltas): void {
    for (const delta of deltas) {
      if (delta.type === 'usage') usage = delta.usage
      else if (delta.type === 'service-tier') tier = delta.tier
      else add(delta)
    }
  }

  return andThen(takeAll(answer[Symbol.asyncIterator](), take), () =>
    completionParts(
      { ...head, ...(tier === undefined ? {} : { serviceTier: tier }) },
      choices,
      usage,
      ofAnswer,
      count,
    ),
  )
}

/** Encodes deltas. The last text is cached, because choices often have the same one. */
export class DeltaEncoder {
  #text = ''
  #textJson = '""'
  #logprobs: readonly TokenLogprob[] = []
  #logprobsJson = ''

  /** A JSON string. */
  string(text: string): string {
    if (text !== this.#text) {
      this.#text = text
      this.#textJson = JSON.stringify(text)
    }
    return this.#textJson
  }

  /** The records of a JSON array, without its brackets. */
  logprobs(logprobs: readonly TokenLogprob[]): string {
    if (logprobs !== this.#logprobs) {
      this.#logprobs = logprobs
      this.#logprobsJson = JSON.stringify(logprobs).slice(1, -1)
    }
    return this.#logprobsJson
  }
}

/** Written by hand, because only the texts need encoding. */
function completionParts(
  { id, created, model, serviceTier }: AnswerHead,
  choices: readonly Choice[],
  usage: Usage | undefined,
  ofAnswer: JsonText,
  count: CountBytes,
): JsonParts {
  const writer = new PartsWriter(count)
  writer.add(
    `{"id":"${id}","object":"chat.completion","created":${created},"model":${JSON.stringify(model)},"choices":[`,
  )
  for (const [index, choice] of choices.entries()) addChoice(writer, choice, index)
  const used = usage === undefined ? '' : `,"usage":${usageJson(usage)}`
  const tier = serviceTier === undefined ? '' : `,"service_tier":${JSON.stringify(serviceTier)}`
  return writer.add(`]${used}${tier}`).addText(ofAnswer).add('}').end()
}

function addChoice(writer: PartsWriter, choice: Choice, index: number): void {
  const { content, refusal, members, isNull, calls, reason } = choice
  if (reason === undefined) throw new RangeError(`the engine did not finish choice ${index}`)
  writer.add(`${index === 0 ? '' : ','}{"index":${index},"message":{"role":"assistant","content":`)
  if (content !== undefined) writer.add('"').addText(content.text).add('"')
  else writer.add(isNull || calls.length > 0 || refusal !== undefined ? 'null' : '""')
  writer.add(',"refusal":')
  if (refusal === undefined) writer.add('null')
  else writer.add('"').addText(refusal.text).add('"')
  writer.addText(members.message)
  for (const [at, { id, name, arguments: args, members: own }] of calls.entries()) {
    const named = `"id":${JSON.stringify(id)},"type":"function","function":{"name":${JSON.stringify(name)}`
    writer
      .add(`${at === 0 ? ',"tool_calls":[' : ','}{${named},"arguments":"`)
      .addText(args)
      .add('"')
      .addText(own.function)
      .add('}')
      .addText(own.call)
      .add('}')
  }
  writer.add(calls.length === 0 ? '},"logprobs":' : ']},"logprobs":')
  if (content?.logprobs === undefined && refusal?.logprobs === undefined) writer.add('null')
  else {
    addLogprobs(writer.add('{"content":'), content?.logprobs)
    addLogprobs(writer.add(',"refusal":'), refusal?.logprobs)
    writer.add('}')
  }
  writer.add(`,"finish_reason":"${reason}"`).addText(members.choice).add('}')
}

function addLogprobs(writer: PartsWriter, logprobs: JsonText | undefined): void {
  if (logprobs === undefined) writer.add('null')
  else writer.add('[').addText(logprobs).add(']')
}

/** Written by hand in the usual case of three numbers. */
function usageJson(usage: Usage): string {
  if (usage.prompt_tokens_details !== undefined || usage.completion_tokens_details !== undefined)
    return JSON.stringify(usage)
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage
  return `{"prompt_tokens":${prompt},"completion_tokens":${completion},"total_tokens":${total}}`
}

/** Passes every step to `take`; synchronous until the first step that is a promise. */
function takeAll(iterator: DeltaIterator, take: (deltas: Deltas) => void): Soon<void> {
  for (;;) {
    const step = iterator.next()
    if (step instanceof Promise) return takeLate(step, iterator, take)
    if (step.done === true) return
    take(step.value)
  }
}

async function takeLate(
  first: Promise<IteratorResult<Deltas>>,
  iterator: DeltaIterator,
  take: (deltas: Deltas) => void,
): Promise<void> {
  for (let step = await first; step.done !== true; step = await iterator.next()) take(step.value)
}
