// Client libraries (SDK): a service works with the official library unchanged.
import type { Section } from '../section.ts'

export const clientLibraries = {
  source: 'wire',
  subject: 'server',
  rows: {
    'SDK-1':
      'MUST: The official `openai` library works unchanged with base address, key and model set: create, stream, `.stream()` helper, `.parse()`, `.runTools()`, models list, error classes per status, abort. (Retrieving one model is judged by WIRE-16 alone. A failure that only the text of the model causes, such as a number too large for the library, is not blamed on the service.)',
    'SDK-2':
      'MUST: Many asynchronous calls in flight on one client each get their own answer: its text if the model echoes, otherwise the `prompt_tokens` that the same prompt has alone.',
  },
} as const satisfies Section
