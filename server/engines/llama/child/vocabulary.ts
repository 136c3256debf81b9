// The bytes of a model's tokens, also of those that are only a part of a character, and the token of a byte.
import type { LlamaModel, Token } from 'node-llama-cpp'

/** The tokens listed in a GGUF file. */
export interface TokenTable {
  /** `gpt2` writes each byte as a character of GPT-2's alphabet; the others write a byte token as `<0xE2>`. */
  readonly kind: string
  /** Empty if the file does not list them. */
  readonly tokens: readonly string[]
}

export type Vocabulary = ReturnType<typeof createVocabulary>

export function createVocabulary(model: LlamaModel, table: TokenTable) {
  const bytes = new Map<Token, Uint8Array>()
  let singles: ReadonlyMap<number, Token> | undefined

  /** The bytes of a token that is detokenized as `text`, which shows U+FFFD for a part of a character. */
  function bytesOfText(token: Token, text: string): Uint8Array {
    return (text.includes('\uFFFD') ? partialBytes(table, token) : undefined) ?? Buffer.from(text)
  }

  /** The bytes that a token adds to a text; none for markers. They are looked up once for each token. */
  function bytesOf(token: Token): Uint8Array {
    const { bos } = model.tokens
    // Detokenized after another token, because the space before a first token is dropped.
    const found =
      bytes.get(token) ?? bytesOfText(token, model.detokenize([token], false, bos === null ? [] : [bos]))
    bytes.set(token, found)
    return found
  }

  return {
    /** The number of tokens that the file lists. */
    size: table.tokens.length,
    bytesOf,
    bytesOfText,
    /** The token that is exactly this byte. Throws if the vocabulary has none. */
    ofByte(value: number): Token {
      singles ??= new Map(
        [...model.iterateAllTokens()].flatMap((token) => {
          const [first, ...others] = bytesOf(token)
          const isSingle = first !== undefined && others.length === 0 && !model.isEogToken(token)
          return isSingle ? [[first, token]] : []
        }),
      )
      const token = singles.get(value)
      if (token === undefined) throw new Error(`the vocabulary has no token for the byte ${value}`)
      return token
    },
  }
}

/** The bytes of a token whose text has U+FFFD in it; undefined if the vocabulary does not list it. */
export function partialBytes({ kind, tokens }: TokenTable, token: number): Uint8Array | undefined {
  const written = tokens[token]
  if (written === undefined) return undefined
  if (kind === 'gpt2') {
    const bytes = Array.from(written, (character) => BYTES.get(character))
    return bytes.every((byte) => byte !== undefined) ? Uint8Array.from(bytes) : undefined
  }
  const hex = /^<0x([0-9A-Fa-f]{2})>$/.exec(written)?.[1]
  return hex === undefined ? undefined : Uint8Array.of(Number.parseInt(hex, 16))
}

/** GPT-2's alphabet: a printable byte is itself, and the others follow from U+0100 on. */
const BYTES: ReadonlyMap<string, number> = new Map(alphabet())

function* alphabet(): Generator<[string, number]> {
  let shifted = 0x100
  for (let byte = 0; byte < 256; byte += 1) {
    const printable = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae
    yield [String.fromCodePoint(printable ? byte : shifted), byte]
    if (!printable) shifted += 1
  }
}
