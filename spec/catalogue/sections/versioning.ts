// Versioning (VERS): the version in paths and in model ids.
import type { Section } from '../section.ts'

export const versioning = {
  source: 'Versioning',
  subject: 'server',
  rows: {
    'VERS-1':
      'SHOULD strict: Every path starts with `/v1`; the same path without it never gives a completion, an event stream or a model list. (An alias is forbidden by no sentence.)',
    'VERS-2':
      'SHOULD strict: Each listed model id carries a version-like label (`svc-0.1-8b`). (Profile `service`.)',
  },
} as const satisfies Section
