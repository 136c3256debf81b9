// The flags of a measurement of streams, and of the calibrated service.
import { flag, type Flags } from '../../harness/cli/flags.ts'
import { notEmpty, oneOf, whole } from '../../harness/cli/flag-values.ts'
import { promptFile, share, slo, tokenRange } from './stream-flag-values.ts'

/** Defaults of `latency`, and of `breakpoint` with `--slo`. */
export const DEFAULT_STREAM_TIMEOUT_SECONDS = 120
export const DEFAULT_LATENCY_SECONDS = 30
export const DEFAULT_STEP_SECONDS = 10
export const DEFAULT_STREAM_RATE = 5
export const DEFAULT_MOST_RATE = 1000
export const DEFAULT_TOKENS = { least: 64, most: 64 }

/** The most callers of the closed model. */
const MOST_CALLERS = 10_000
const MOST_TURNS = 100

/** The commands that measure streams; `run` does with `breakpoint`. */
const STREAMS = ['latency', 'run']

export const STREAM_FLAGS = {
  concurrency: flag('--concurrency N', whole(1, MOST_CALLERS))
    .with({ group: 'Streams', commands: ['latency', 'judge'] })
    .means(
      'Keep this number of requests in flight (closed model), instead of `--rate`; `judge`: the value of `{concurrency}`, by default 4',
    ),
  arrivals: flag('--arrivals NAME', oneOf<'poisson' | 'constant'>(['poisson', 'constant']))
    .with({ choices: ['poisson', 'constant'], commands: STREAMS, default: 'poisson', fallback: '`poisson`' })
    .means('Times between requests: `poisson` or `constant`'),
  promptTokens: flag('--prompt-tokens N|A-B', tokenRange)
    .with({ commands: STREAMS, fallback: DEFAULT_TOKENS.least })
    .means(
      'Tokens of a prompt, as two short requests before the run show how the service counts; without the flag it is the number of words',
    ),
  answerTokens: flag('--answer-tokens N|A-B', tokenRange)
    .with({ commands: STREAMS, fallback: DEFAULT_TOKENS.least })
    .means('`max_tokens` of a request'),
  sharedPrefix: flag('--shared-prefix N', whole(0, 1_000_000))
    .with({ commands: STREAMS, default: 0 })
    .means('Tokens at the beginning of a prompt that all prompts share, of those of `--prompt-tokens`'),
  turns: flag('--turns N', whole(1, MOST_TURNS))
    .with({ commands: STREAMS, default: 1 })
    .means('Requests of each conversation; the messages and answers before are sent with each'),
  prompts: flag('--prompts FILE', promptFile)
    .with({ commands: STREAMS })
    .means(
      'JSON Lines with `prompt` or `messages`, and optionally `max_tokens`, taken in turn instead of generated prompts',
    ),
  withoutUsage: flag('--without-usage')
    .with({ commands: STREAMS })
    .means('Do not send `stream_options.include_usage`, for services that refuse it'),
  seed: flag('--seed N', whole(0, 0x7fff_ffff))
    .with({ commands: STREAMS, default: 1 })
    .means('Seed of the arrivals, lengths and prompts'),
  startIn: flag('--start-in SECONDS', whole(1, 86_400))
    .with({ commands: ['latency'], fallback: 'when they are ready' })
    .means('With `--plan`: time until the generators start, in seconds, so that all start together'),
  slo: flag('--slo ttft=MS,tpot=MS,e2e=MS', slo)
    .with({ commands: STREAMS })
    .means(
      'Latency objectives of each stream, in milliseconds; `breakpoint` then finds the highest rate that keeps them',
    ),
  sloShare: flag('--slo-share PERCENT', share)
    .with({ commands: STREAMS, default: 0.99, fallback: 99 })
    .means('Share of the offered requests that must complete and meet `--slo`, in percent'),
} as const satisfies Flags

export const CLOCK_FLAGS = {
  listen: flag('--listen PORT', whole(0, 65_535))
    .with({ group: 'Clock', commands: ['clock'], default: 4100 })
    .means('Port of the calibrated service, on 127.0.0.1; 0 for any that is free'),
  scenario: flag('--scenario NAME', notEmpty)
    .with({ commands: ['clock'] })
    .means('Timing script for every model; without it the model `clock-NAME` names the script'),
} as const satisfies Flags
