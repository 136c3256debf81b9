// The bytes of a model's tokens, and the token of a byte. Both are looked up once for each model.
import type { LlamaModel, Token } from 'node-llama-cpp'
import { partialBytes, type Vocabulary } from '../../text/token-bytes.ts'

interface Known {
  readonly bytes: Map<Token, Uint8Array>
  singles?: ReadonlyMap<number, Token>
}

const knownOf = new WeakMap<LlamaModel, Known>()

function known(model: LlamaModel): Known {
  const found = knownOf.get(model) ?? { bytes: new Map<Token, Uint8Array>() }
  knownOf.set(model, found)
  return found
}

/** The bytes that a token adds to a text; none for markers. */
export function tokenBytes(model: LlamaModel, vocabulary: Vocabulary, token: Token): Uint8Array {
  const { bytes } = known(model)
  const found = bytes.get(token)
  if (found !== undefined) return found
  const { bos } = model.tokens
  // After another token, so that a space in front of it is its own.
  const text = model.detokenize([token], false, bos === null ? [] : [bos])
  const partial = text.includes('\uFFFD') ? partialBytes(vocabulary, token) : undefined
  const own = partial ?? Buffer.from(text)
  bytes.set(token, own)
  return own
}

/** The token that is exactly this byte. Throws where the vocabulary has none. */
export function byteToken(model: LlamaModel, vocabulary: Vocabulary, value: number): Token {
  const own = known(model)
  own.singles ??= new Map(
    [...model.iterateAllTokens()].flatMap((token) => {
      const bytes = tokenBytes(model, vocabulary, token)
      return bytes.length === 1 && bytes[0] !== undefined && !model.isEogToken(token)
        ? [[bytes[0], token]]
        : []
    }),
  )
  const token = own.singles.get(value)
  if (token === undefined) throw new Error(`the vocabulary has no token for the byte ${value}`)
  return token
}
