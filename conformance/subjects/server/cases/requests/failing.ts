// Requests that fail for a reason of their own, and names and keys that no target knows; the same seed gives the same ones.
// Cases judge how the failure looks or what is checked before it.
import { createHash } from 'node:crypto'
import type { CaseContext, Variants } from '../../case.ts'
import type { RequestSpec } from '../../../../../harness/http/probe.ts'
import { CHAT_PATH, MODELS_PATH, chatRequest } from './endpoints.ts'
import { looksLikeKey } from '../../../../exchanges/credential-marks.ts'
import { KEY_PREFIX } from '../../../../../spec/protocol/key.ts'

export type RequestTable = Variants<[request: (t: CaseContext) => RequestSpec]>

/** Failures that every service can show. */
export const failures = {
  'bad-json': ['a body that is not JSON', () => ({ path: CHAT_PATH, body: '{"model":' })],
  'missing-messages': [
    'a body without messages',
    ({ target }) => ({ path: CHAT_PATH, body: JSON.stringify({ model: target.model }) }),
  ],
  'no-key': ['no key', () => ({ path: MODELS_PATH, authorization: null })],
  'wrong-key': [
    'a wrong key',
    ({ seed }) => ({ path: MODELS_PATH, authorization: `Bearer ${fakeKey(seed, 'wrong key')}` }),
  ],
  'unknown-model': ['an unknown model', ({ seed }) => chatRequest(fakeWord(seed, 'unknown model'))],
} as const satisfies RequestTable

const unknownPath = ({ seed }: CaseContext): string => `/v1/${fakeWord(seed, 'unknown path')}`

/** Paths and methods that the specification does not know. None of them could delete a model. */
export const strays = {
  'unknown-path': ['GET of an unknown path', (t) => ({ path: unknownPath(t) })],
  'unknown-path-post': ['POST to an unknown path', (t) => ({ path: unknownPath(t), body: '{}' })],
  'unknown-path-delete': ['DELETE of an unknown path', (t) => ({ method: 'DELETE', path: unknownPath(t) })],
  'unknown-path-below': [
    'an unknown path below a known one',
    ({ seed }) => ({ path: `${CHAT_PATH}/${fakeWord(seed, 'path')}/x`, body: '{}' }),
  ],
  'get-chat': ['GET of the chat endpoint', () => ({ path: CHAT_PATH })],
  'put-chat': ['PUT to the chat endpoint', ({ target }) => ({ ...chatRequest(target.model), method: 'PUT' })],
  'delete-chat': ['DELETE of the chat endpoint', () => ({ method: 'DELETE', path: CHAT_PATH })],
  'post-models': ['POST to the model list', () => ({ path: MODELS_PATH, body: '{}' })],
  'patch-models': ['PATCH of the model list', () => ({ method: 'PATCH', path: MODELS_PATH, body: '{}' })],
} as const satisfies RequestTable

/** 43 characters of base64url, derived from a seed and a purpose. No recording takes a part of it for a key. */
export function fakeText(seed: number, purpose: string): string {
  const text = createHash('sha256').update(`${seed} ${purpose}`).digest('base64url')
  return looksLikeKey(text) ? fakeText(seed, `${purpose}, again`) : text
}

/** A well-formed key that was never issued. */
export const fakeKey = (seed: number, purpose: string): string => KEY_PREFIX + fakeText(seed, purpose)

/** A word of lower-case letters and digits, for paths and model ids. */
export function fakeWord(seed: number, purpose: string): string {
  return `x${createHash('sha256').update(`${seed} ${purpose}`).digest('hex').slice(0, 16)}`
}

export function swapCase(text: string): string {
  return text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
}
