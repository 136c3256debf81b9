// Bodies whose answers cost a service much: long texts, with options that multiply the answer.
import * as fc from 'fast-check'
import type { Piece } from './attack.ts'

/** The largest part of a body that is filled with text, in bytes. */
const MOST_TEXT_BYTES = 4_000_000

/** A number up to `most`, in which each order of magnitude is equally likely. */
const upTo = (most: number): fc.Arbitrary<number> =>
  fc.nat(1_000_000).map((share) => Math.round(most ** (share / 1_000_000)))

/** Units of the text, as they are written in JSON: a character of each length and each kind of escape, and words of templates. */
const UNITS = String.raw`a é 字 ${'\u{1F600}'} ${'\u007f'} ${'\u2028'} \" \\ \n \u0001 \ud800 <tool_call>`
  .split(' ')
  .concat('#call f0\\n')

/** The numbers of which a body is made. */
export const costs = fc.record({
  unit: fc.constantFrom(...UNITS),
  textBytes: upTo(MOST_TEXT_BYTES),
  n: upTo(128),
  /** Alternatives for each token; undefined: no log probabilities. */
  top: fc.option(fc.nat(20), { nil: undefined }),
  isStreamed: fc.boolean(),
  /** Characters of a stop string that nearly fits the text. */
  stop: fc.option(upTo(1000), { nil: undefined }),
  parts: upTo(500),
  messages: upTo(500),
  /** The number of offered functions; if set, the text requests calls of one. */
  tools: fc.option(upTo(128), { nil: undefined }),
  isObject: fc.boolean(),
  /** How long the reader waits after the first bytes, in milliseconds. */
  stallMs: fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, upTo(10_000)),
})

export type Costs = typeof costs extends fc.Arbitrary<infer Value> ? Value : never

export function bodyOf(model: string, chosen: Costs): readonly Piece[] {
  const { unit, textBytes, n, top, isStreamed, stop, tools, isObject } = chosen
  const parts = Math.max(1, chosen.parts)
  const times = Math.max(1, Math.floor(textBytes / parts / Buffer.byteLength(unit)))
  const call = tools === undefined ? '' : '#call f0 '
  const options = {
    model,
    n: Math.max(1, n),
    ...(isStreamed ? { stream: true, stream_options: { include_usage: true } } : {}),
    ...(top === undefined ? {} : { logprobs: true, ...(top > 0 ? { top_logprobs: top } : {}) }),
    ...(tools === undefined
      ? {}
      : { tools: Array.from({ length: Math.max(1, tools) }, (_, at) => tool(at)) }),
    ...(isObject && tools === undefined ? { response_format: { type: 'json_object' } } : {}),
  }
  const stopText: readonly Piece[] =
    stop === undefined ? [] : [{ text: ',"stop":["' }, { text: unit, times: stop }, { text: 'x"]' }]
  const part: readonly Piece[] = [{ text: unit, times }]
  const content: readonly Piece[] =
    parts === 1
      ? [{ text: `"${call}` }, ...part, { text: '"' }]
      : [
          { text: `[{"type":"text","text":"${call}` },
          ...Array.from({ length: parts - 1 }, () => [
            ...part,
            { text: '"},{"type":"text","text":"' },
          ]).flat(),
          ...part,
          { text: '"}]' },
        ]
  return [
    { text: `${JSON.stringify(options).slice(0, -1)},"messages":[` },
    { text: '{"role":"user","content":"a"},', times: chosen.messages },
    { text: '{"role":"user","content":' },
    ...content,
    { text: '}]' },
    ...stopText,
    { text: '}' },
  ]
}

function tool(at: number): object {
  return { type: 'function', function: { name: `f${at}`, parameters: { type: 'object' } } }
}
