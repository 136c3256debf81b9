// Finds the place at which a text stops being JSON, for the message of a 400.
import { endOfString } from '../../spec/protocol/exact-json.ts'

const TOKEN = /[ \t\n\r]+|[{}[\],:]|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y
/** Text that is common in place of JSON. Other text is not repeated, because it may be a secret. */
const COMMON = /-?Infinity|NaN|None|True|False|undefined/y
const CHARACTERS: ReadonlyMap<string | undefined, string> = new Map([
  ['\ufeff', 'byte order mark'],
  ['\0', 'NUL'],
])

/**
 * The first text outside of strings that no JSON contains, and its position: the number of UTF-16 code units before it.
 * Undefined if there is none, for example if only a bracket is missing.
 */
export function strayText(text: string): string | undefined {
  for (let index = 0; index < text.length; index = TOKEN.lastIndex) {
    TOKEN.lastIndex = index
    if (text[index] === '"') TOKEN.lastIndex = endOfString(text, index) + 1
    else if (!TOKEN.test(text)) return `${nameAt(text, index)} at position ${index}`
  }
  return undefined
}

function nameAt(text: string, index: number): string {
  COMMON.lastIndex = index
  const [word] = COMMON.exec(text) ?? []
  return word === undefined ? (CHARACTERS.get(text[index]) ?? 'text') : `'${word}'`
}
