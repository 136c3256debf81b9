// Names and keys that no target knows, the same ones for the same seed.
import { createHash } from 'node:crypto'
import { KEY_PREFIX } from '../../../spec/protocol/key.ts'

/** 43 characters of base64url that follow from a seed and a purpose. */
export function madeUpText(seed: number, purpose: string): string {
  return createHash('sha256').update(`${seed} ${purpose}`).digest('base64url')
}

/** A key of the right shape, which nobody ever got. */
export function madeUpKey(seed: number, purpose: string): string {
  return KEY_PREFIX + madeUpText(seed, purpose)
}

/** A word of small letters and digits, for paths and model ids. */
export function madeUpWord(seed: number, purpose: string): string {
  return `x${createHash('sha256').update(`${seed} ${purpose}`).digest('hex').slice(0, 16)}`
}
