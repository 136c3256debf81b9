// Retries (RETRY): when, how often and after which wait a client tries again.
import type { Section } from '../section.ts'

export const retries = {
  source: 'Errors, Retry rules',
  subject: 'client',
  isOfThisService: true,
  rows: {
    'RETRY-1':
      'MUST: Of the statuses, only 429, 500 and 503 are retried. (What a client does after a network error is not judged.)',
    'RETRY-2': 'MUST: 400, 401 and 404 are not retried unchanged.',
    'RETRY-3': 'MUST: After a 429 with a positive `Retry-After` the wait is at least that many seconds.',
    'RETRY-4':
      'MUST: Otherwise, and after 500 and 503, the wait before retry n (n from 0) is 1000 ms · 2^n plus jitter of 0 to 250 ms. (Judged with a tolerance for timers, stated in the report. A 503 with `Retry-After` is not judged: the specification says back-off, RFC 9110 gives the header a meaning there, and a client may keep either.)',
    'RETRY-5': {
      notRecorded: 'a recording does not show whether the program goes on',
      rule: 'MUST: The number of attempts is bounded, for each of 429, 500 and 503, for a failed connection and for a stream that breaks.',
    },
    'RETRY-6': 'SHOULD: At most 5 attempts, the first included.',
    'RETRY-7': {
      notRecorded: 'a recording does not show whether the program still waits',
      rule: 'MUST: The total wait is bounded: if the service requests a wait of a day (`Retry-After: 86400`), the client gives up.',
    },
    'RETRY-8': {
      notRecorded: 'a recording does not show what the program would do with another message',
      rule: 'MUST: Control flow depends on the status, then on `code`, never on `message`: neither a message that contradicts the status nor one without the usual words (for example a 429 that does not say "rate limit") changes what the client does.',
    },
    'RETRY-9': {
      notRecorded: 'a recording does not show which requests belong to one program',
      rule: 'SHOULD: Under continual 429s concurrency or the request rate falls; a rate that stays the same warns.',
    },
    'RETRY-10':
      'MUST: An unparsable, zero, negative, fractional or absent `Retry-After`, or a date, falls back to exponential backoff. (A fraction and a date in the future may also be obeyed, the fraction rounded up; RETRY-3 does not judge them. A date that is not in the future means backoff, or no wait if the client reads it as a wait of 0. A client that ends or crashes at such a value, and retries another 429, fails this row.)',
    'RETRY-11': 'SHOULD: The back-off has random jitter: several waits of the same step are not all equal.',
  },
} as const satisfies Section
