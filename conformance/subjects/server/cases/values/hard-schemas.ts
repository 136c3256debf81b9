// Strict schemas whose values and names are hard: a model that follows them says each hard value. In groups, because a service
// may refuse a schema that it cannot follow.
import { hardNames, hardTexts, nulTexts } from '../../../../generate/hard-values.ts'
import { strictObject } from '../tools/tool-requests.ts'

type HardText = keyof typeof hardTexts

const LETTERS = [
  'two-bytes',
  'three-bytes',
  'four-bytes',
  'combining',
  'joined-emoji',
  'both-directions',
] as const
const EDGES = ['looks-like-a-number', 'looks-like-null', 'outer-space', 'space', 'empty'] as const

const isOf = (names: readonly HardText[], name: string): boolean => names.some((one) => one === name)

/** An object of texts, each the only one that its member may have. */
function textsWhere(accepts: (name: string) => boolean): object {
  const texts = Object.entries(hardTexts).filter(([name]) => accepts(name))
  return strictObject(
    Object.fromEntries(texts.map(([name, text]) => [name, { type: 'string', enum: [text] }])),
  )
}

const constant = (value: unknown): object => ({ const: value })

/** The groups by their slugs. */
export const hardSchemas = {
  letters: textsWhere((name) => isOf(LETTERS, name)),
  escapes: textsWhere((name) => !isOf(LETTERS, name) && !isOf(EDGES, name)),
  edges: textsWhere((name) => isOf(EDGES, name)),
  constants: strictObject({
    letters: { type: 'string', ...constant(hardTexts['four-bytes'] + hardTexts['two-bytes']) },
    escapes: { type: 'string', ...constant(hardTexts.backslashes + hardTexts.quotes) },
    null: { type: 'null', ...constant(null) },
    false: { type: 'boolean', ...constant(false) },
    empty: { type: 'string', ...constant('') },
  }),
  names: strictObject(
    Object.fromEntries(hardNames.map((name) => [name, { type: 'string', enum: ['stone'] }])),
  ),
  nul: strictObject({ nul: { type: 'string', enum: [nulTexts.nul] } }),
} satisfies Readonly<Record<string, object>>

export const titles: Readonly<Record<keyof typeof hardSchemas, string>> = {
  letters: 'texts with letters of two to four bytes',
  escapes: 'texts with quotes, escapes and line ends',
  edges: 'texts that are empty, blank or look like another value',
  constants: 'constants, null, false and empty ones among them',
  names: 'members with hard names',
  nul: 'a text with NUL',
}

/** The two groups that show most; a quick run has no time for the others. */
export const isThorough = (group: string): boolean => !['letters', 'escapes'].includes(group)
