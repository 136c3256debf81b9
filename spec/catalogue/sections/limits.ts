// Limits (LIMIT): what a service does over its rate limit.
import type { Section } from '../section.ts'

export const limits = {
  source: 'Limits; Errors',
  subject: 'server',
  rows: {
    'LIMIT-1': 'MUST: Over the limit: 429, type `rate_limit_error`, code `rate_limit_exceeded`.',
    'LIMIT-2': { about: 'header', rule: 'MUST: A 429 has `Retry-After`.' },
    'LIMIT-3':
      'SHOULD: After waiting `Retry-After`, and a second of tolerance, the request is admitted, on a key without other traffic. (The scope of a limit is not shown: while this is judged nothing else is sent, with any key.)',
    'LIMIT-4':
      'SHOULD strict: Under concurrent load no more is admitted than the limit allows, and every 429 keeps its form. (The limit is given to the judge or read from `x-ratelimit-limit-requests`; the bound allows what a window or bucket refills meanwhile.)',
    'LIMIT-5': "MAY strict: One key's traffic does not use up another key's limit.",
    'LIMIT-6': {
      about: 'header',
      rule: 'MAY strict: `Retry-After` is at most a day (86 400): more is probably milliseconds.',
    },
    'LIMIT-7': {
      about: 'header',
      rule: 'SHOULD: `Retry-After` is a positive number of seconds: what the retry rules can read.',
    },
  },
} as const satisfies Section
