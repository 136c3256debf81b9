// How large a context may be where nobody has said it: no larger than memory allows.

/** A smaller context is of no use, whatever memory there is. */
export const LEAST_CONTEXT = 256

/**
 * `wanted` tokens, halved until `bytesOf` so many are at most half of `freeBytes`: the rest is for what else the machine
 * does. At least `LEAST_CONTEXT`, or `wanted` where that is less.
 */
export async function fittingContext(
  wanted: number,
  bytesOf: (tokens: number) => Promise<number>,
  freeBytes: number,
): Promise<number> {
  let tokens = wanted
  while (tokens > LEAST_CONTEXT && (await bytesOf(tokens)) > freeBytes / 2) {
    tokens = Math.max(LEAST_CONTEXT, Math.floor(tokens / 2))
  }
  return tokens
}
