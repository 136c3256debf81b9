// What a family of models is for a puppet: its markers, and how it writes thoughts and calls.

/** A call with its arguments as JSON text. */
export interface WrittenCall {
  readonly name: string
  readonly values: Readonly<Record<string, unknown>>
}

/** Text of the format, in which markers are tokens, or text of the model, in which they are cut like all text. */
export type Part = { readonly structure: string } | { readonly literal: string }

export const structure = (text: string): Part => ({ structure: text })
export const literal = (text: string): Part => ({ literal: text })

export interface Family {
  readonly name: string
  /** The file of the chat template under `models/templates` of llama.cpp. */
  readonly template: string
  /** The token at the start of a prompt, if the template writes one. */
  readonly begin?: string
  readonly end: string
  /** The end token behind calls, if it is another one. */
  readonly endOfCalls?: string
  /** Tokens that are control tokens in the family's vocabulary: of no text if a service does not ask for it. */
  readonly control: readonly string[]
  /** Tokens that are written like text. */
  readonly markers: readonly string[]
  /** The text of the last token of a prompt, if it is not a marker: no script has it as a piece. */
  readonly promptEnd: string
  /** node-llama-cpp does not write its prompts as the template does, or refuses it: the test of the weights has another template. */
  readonly hasForeignTemplate?: true
  /** How thoughts are written; `isOpened`: the prompt ends with `open`, so that each answer begins inside of them. */
  readonly thoughts?: { readonly open: string; readonly close: string; readonly isOpened?: true }
  /** Writes the calls of one answer. Without it the family has none. */
  calls?(calls: readonly WrittenCall[]): Part[]
  /** The most calls of one answer; default: unlimited. */
  readonly mostCalls?: number
  /** What the family writes between a text and the calls behind it; undefined: it writes no text there. */
  readonly beforeCalls?: string
  /** The same for a text behind the calls. */
  readonly afterCalls?: string
}

/** A call as a JSON object: `{"name": …, "arguments": …}`, and its id behind them if the family writes one. */
export function jsonCall(
  { name, values }: WrittenCall,
  { member = 'arguments', open = '', close = '', id = '' } = {},
): Part[] {
  return [
    structure(`${open}{"name": "${name}", "${member}": `),
    literal(JSON.stringify(values)),
    structure(`${id && `, "id": "${id}"`}}${close}`),
  ]
}

/** Joins the parts of several calls with a separator. */
export function joined(calls: readonly (readonly Part[])[], separator: string): Part[] {
  return calls.flatMap((parts, index) => (index === 0 ? parts : [structure(separator), ...parts]))
}

/** A value as it stands between the tags of a parameter: a string itself, and any other value as JSON. */
export function tagged(value: unknown): Part {
  return literal(typeof value === 'string' ? value : JSON.stringify(value))
}
