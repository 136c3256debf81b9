// Builds a puppet from its family: the description, and the tokens and steps that the weights hold.
import { type Puppet, PUPPET_FORMAT, type PuppetScript } from '../spec/schemas/puppet.ts'
import { cut, type CutStep, stepsOf } from './cut.ts'
import type { Family } from './family.ts'
import { expectationOf, scriptsFor, TOOLS, write } from './scripts.ts'

/** The text of the model if no message names a script. */
const UNNAMED = 'This model is a puppet; the last message should name one of its scripts.'

/** The steps of a script, and the token that names it in a prompt; undefined: none was named. */
export interface Track {
  readonly name: string | undefined
  readonly steps: readonly CutStep[]
  readonly end: string
}

export interface BuiltPuppet {
  readonly puppet: Puppet
  readonly family: Family
  /** The texts of the tokens besides the single bytes, as binary strings. */
  readonly pieces: readonly string[]
  readonly tracks: readonly Track[]
}

const latin1 = (bytes: string): Buffer => Buffer.from(bytes, 'latin1')

/** A piece as the description has it. */
function shown(bytes: string): string | number[] {
  const text = latin1(bytes).toString('utf8')
  return latin1(text).length > 0 && Buffer.from(text).equals(latin1(bytes)) ? text : [...latin1(bytes)]
}

export function buildPuppet(family: Family): BuiltPuppet {
  const markers = [...family.control, ...family.markers]
  const options = { markers, promptEnd: family.promptEnd }
  const built = scriptsFor(family).map((say) => {
    const tokens = cut(write(say, family), options)
    const raw = latin1(tokens.join('')).toString('utf8')
    const prompt = `[script:${say.id}]`
    const end = say.calls === undefined ? family.end : (family.endOfCalls ?? family.end)
    const script: PuppetScript = {
      id: say.id,
      kind: say.kind,
      prompt,
      raw,
      pieces: tokens.map(shown),
      end,
      tools: TOOLS,
      expect: expectationOf(say, family, raw),
    }
    return { script, tokens, track: { name: prompt, steps: stepsOf(tokens, options), end } }
  })
  const unnamed = cut([{ literal: UNNAMED }], options)
  const isMarker = new Set(markers.map((marker) => Buffer.from(marker).toString('latin1')))
  const pieces = new Set(
    [...unnamed, ...built.flatMap(({ tokens }) => tokens)].filter(
      (bytes) => bytes.length > 1 && !isMarker.has(bytes),
    ),
  )
  return {
    family,
    pieces: [...pieces],
    tracks: [
      { name: undefined, steps: stepsOf(unnamed, options), end: family.end },
      ...built.map(({ track }) => track),
    ],
    puppet: {
      format: PUPPET_FORMAT,
      family: family.name,
      model: `puppet-${family.name}`,
      template: family.template,
      markers,
      scripts: built.map(({ script }) => script),
    },
  }
}
