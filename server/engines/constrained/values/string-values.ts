// Strings that a JSON Schema may accept, the most likely first; always the same ones.
import type { Automaton } from '../grammar/automaton.ts'
import type { Grammar } from '../grammar/byte-grammar.ts'
import { createEffort, MAX_BUILD_STEPS, TooMuchEffort, within } from '../grammar/effort.ts'
import { acceptsText, stringGrammar, TooManyStates } from '../grammar/string-grammar.ts'
import { textsOf } from '../grammar/texts-of.ts'
import type { Alternative } from '../schema/schema-keywords.ts'
import { countsIn, textsIn } from '../schema/joined-keywords.ts'
import { formatAutomata, lengthAutomata, patternAutomata } from '../schema/string-rules.ts'

const FORMATS: ReadonlyMap<unknown, string> = new Map(
  Object.entries({
    'date-time': '2026-01-01T00:00:00Z',
    date: '2026-01-01',
    time: '00:00:00Z',
    duration: 'P1D',
    email: 'a@example.com',
    hostname: 'example.com',
    ipv4: '192.0.2.1',
    ipv6: '2001:db8::1',
    uri: 'https://example.com/',
    'uri-reference': '/a',
    'uri-template': '/{a}',
    'json-pointer': '/a',
    'relative-json-pointer': '0',
    regex: 'a',
    uuid: '00000000-0000-4000-8000-000000000000',
  }),
)

/** Strings that match most common patterns: words, numbers, identifiers, and the formats above. */
const PATTERN_TEXTS = [
  ...'a A 0 1 ab abc Abc ABC a1 A1 a-b a_b 00 000 0000 00000 123456 0.0 1.0.0 #000000 +15550100 a.b /a'.split(
    ' ',
  ),
  ...FORMATS.values(),
]

const ignore = (): void => {}

/** Makes `strings`, which finds the strings of the same rules only once. */
export function createStrings(): (parts: Alternative, least: number) => Generator<string> {
  const grammars = new Map<string, Grammar | undefined>()

  function grammarOf(parts: Alternative, patterns: readonly Automaton[]): Grammar | undefined {
    const rules = JSON.stringify([
      textsIn(parts, 'pattern'),
      textsIn(parts, 'format'),
      countsIn(parts, 'Length'),
    ])
    if (!grammars.has(rules))
      grammars.set(rules, affordable([...patterns, ...lengthAutomata(parts), ...formatAutomata(parts)]))
    return grammars.get(rules)
  }

  /** Strings of at least `least` characters. */
  return function* strings(parts, least) {
    const formats = textsIn(parts, 'format')
    const patterns = patternAutomata(parts, ignore)
    const rules = [...patterns, ...lengthAutomata(parts)]
    yield* [
      ...formats.flatMap((format) => FORMATS.get(format) ?? []),
      ...(patterns.length > 0 ? PATTERN_TEXTS : []),
    ].filter((text) => acceptsText(rules, text))
    const grammar = patterns.length + formats.length > 0 ? grammarOf(parts, patterns) : undefined
    if (grammar !== undefined) yield* textsOf(grammar).map((json) => String(JSON.parse(json)))
    yield 'a'.repeat(least)
    // Different values for `uniqueItems`.
    for (let count = 0; count < 100; count += 1) yield String(count).padStart(least, 'a')
  }
}

/** The grammar of the strings that all `automata` accept; undefined if there are none, or if it takes too much work. */
function affordable(automata: readonly Automaton[]): Grammar | undefined {
  try {
    return within(createEffort(MAX_BUILD_STEPS), () => stringGrammar(automata))
  } catch (error) {
    if (error instanceof TooManyStates || error instanceof TooMuchEffort) return undefined
    throw error
  }
}
