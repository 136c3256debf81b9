// Names and keys that no target knows; the same seed gives the same ones.
import { createHash } from 'node:crypto'
import { KEY_PREFIX } from '../../../spec/protocol/key.ts'

/** 43 characters of base64url, derived from a seed and a purpose. */
export function fakeText(seed: number, purpose: string): string {
  return createHash('sha256').update(`${seed} ${purpose}`).digest('base64url')
}

/** A well-formed key that was never issued. */
export function fakeKey(seed: number, purpose: string): string {
  return KEY_PREFIX + fakeText(seed, purpose)
}

/** A word of lower-case letters and digits, for paths and model ids. */
export function fakeWord(seed: number, purpose: string): string {
  return `x${createHash('sha256').update(`${seed} ${purpose}`).digest('hex').slice(0, 16)}`
}

export function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
}
