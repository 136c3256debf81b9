// The bytes of a token, also where they are only a part of a character, which its text cannot show.

/** What a GGUF file says of its tokens. */
export interface Vocabulary {
  /** `gpt2` writes each byte as a character of GPT-2's alphabet; the others write a byte token as `<0xE2>`. */
  readonly kind: string
  readonly tokens: readonly string[]
}

/** The bytes of a token whose text has U+FFFD in it; undefined where the vocabulary does not tell. */
export function partialBytes({ kind, tokens }: Vocabulary, token: number): Uint8Array | undefined {
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
