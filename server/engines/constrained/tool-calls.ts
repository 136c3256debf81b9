// Tool calls in the text of a model: a system message explains the syntax, a grammar constrains the answer, and a reader
// extracts the calls. An answer that starts with the marker has only calls; any other answer is text.
import { all, byte, type Grammar, literal, one, repeat } from './grammar/byte-grammar.ts'

const MARKER = '<tool_call>'
const HEAD = (name: string): string => `${MARKER}\n{"name": "${name}", "arguments": `
const HEAD_PATTERN = /^<tool_call>\n\{"name": "([^"]+)", "arguments": $/
const TAIL = '}\n</tool_call>'

/** The syntax of a call and of its result, with the placeholders of node-llama-cpp. */
export const CALL_SYNTAX =
  '<tool_call>\n{"name": "{{functionName}}", "arguments": {{functionParams}}}\n</tool_call>\n'
export const RESULT_SYNTAX = '<tool_response>\n{{functionCallResult}}\n</tool_response>\n'

/** Maximum number of calls of one answer. */
const MAX_CALLS = 128

/** A callable tool, and the grammar of its arguments: a JSON object. */
export interface CallableTool {
  readonly name: string
  readonly argumentsGrammar: Grammar
}

/** One call, or several if `parallel` is set, each on its own line. */
export function callsGrammar(tools: readonly CallableTool[], parallel: boolean): Grammar {
  const call = one(
    ...tools.map(({ name, argumentsGrammar }) => all(literal(HEAD(name)), argumentsGrammar, literal(TAIL))),
  )
  return parallel ? all(call, repeat(all(literal('\n'), call), 0, MAX_CALLS - 1)) : call
}

/** Any text that does not start with the marker of a call. */
export function plainTextGrammar(): Grammar {
  const rest = repeat(byte(0, 255), 0, Infinity)
  return Array.from(Buffer.from(MARKER)).reduceRight<Grammar>(
    (further, value) =>
      one(all(), all(one(byte(0, value - 1), byte(value + 1, 255)), rest), all(byte(value), further)),
    one(),
  )
}

/** The part of the system message that describes the tools. */
export function toolsPrompt(tools: readonly object[]): string {
  const listed = tools.map((tool) => JSON.stringify(tool)).join('\n')
  return `You can call these functions, described as JSON, one a line:\n${listed}\nTo call one, answer with this and nothing else:\n${HEAD('NAME')}{...}${TAIL}`
}

export type AnswerChunk =
  | { readonly text: string }
  /** A part of the arguments of call `call`; `name` with its first part. */
  | { readonly call: number; readonly name?: string; readonly arguments: string }

/** Splits a growing answer into text and calls. */
export function createCallReader() {
  let mode: 'undecided' | 'text' | 'head' | 'arguments' | 'tail' = 'undecided'
  let held = ''
  let call = -1
  let depth = 0
  let quoted = false
  let escaped = false

  function readCalls(text: string): AnswerChunk[] {
    const chunks: AnswerChunk[] = []
    let json = ''
    for (const character of text) {
      if (mode === 'arguments') {
        json += character
        if (!closes(character)) continue
        chunks.push({ call, arguments: json })
        json = ''
        mode = 'tail'
        continue
      }
      held += character
      if (mode === 'tail' && held === TAIL) {
        mode = 'head'
        held = ''
      } else if (held === '\n') held = ''
      const name = HEAD_PATTERN.exec(held)?.[1]
      if (mode !== 'head' || name === undefined) continue
      held = ''
      call += 1
      mode = 'arguments'
      chunks.push({ call, name, arguments: '' })
    }
    if (json !== '') chunks.push({ call, arguments: json })
    return chunks
  }

  /** Whether `character` ends the current object. */
  function closes(character: string): boolean {
    if (quoted) {
      if (escaped) escaped = false
      else if (character === '\\') escaped = true
      else if (character === '"') quoted = false
      return false
    }
    if (character === '"') quoted = true
    else if (character === '{' || character === '[') depth += 1
    else if (character === '}' || character === ']') depth -= 1
    return depth === 0
  }

  return {
    push(text: string): AnswerChunk[] {
      if (mode === 'text') return [{ text }]
      if (mode !== 'undecided') return readCalls(text)
      held += text
      if (MARKER.startsWith(held) && held !== MARKER) return []
      const first = held
      held = ''
      mode = first.startsWith(MARKER) ? 'head' : 'text'
      return mode === 'head' ? readCalls(first) : [{ text: first }]
    },
    /** Call at the end of the answer: returns held text that was not the start of a call. */
    flush(): AnswerChunk[] {
      return mode === 'undecided' && held !== '' ? [{ text: held }] : []
    },
  }
}
