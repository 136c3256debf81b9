// Names and keys that no target knows, the same ones for the same seed.
import { createHash } from 'node:crypto'
import { KEY_PREFIX } from '../../../spec/protocol/key.ts'

/** 43 characters of base64url that follow from a seed and a purpose. */
export function fakeText(seed: number, purpose: string): string {
  return createHash('sha256').update(`${seed} ${purpose}`).digest('base64url')
}

/** A key of the right shape, which nobody ever got. */
export function fakeKey(seed: number, purpose: string): string {
  return KEY_PREFIX + fakeText(seed, purpose)
}

/** A word of small letters and digits, for paths and model ids. */
export function fakeWord(seed: number, purpose: string): string {
  return `x${createHash('sha256').update(`${seed} ${purpose}`).digest('hex').slice(0, 16)}`
}

/** The same text with small letters for capital ones and the other way round. */
export function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
}
