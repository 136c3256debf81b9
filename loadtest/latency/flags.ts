// The flags of a measurement of streams, and of the calibrated service.
import type { Switch, ValueFlag } from '../../harness/cli/flags.ts'
import { notEmpty, oneOf, whole } from '../../harness/cli/flag-values.ts'
import { promptFile, share, slo, tokenRange } from './flag-values.ts'

/** Defaults of `latency`, and of `breakpoint` with `--slo`. */
export const DEFAULT_STREAM_TIMEOUT_SECONDS = 120
export const DEFAULT_LATENCY_SECONDS = 30
export const DEFAULT_STEP_SECONDS = 10
export const DEFAULT_STREAM_RATE = 5
export const DEFAULT_MOST_RATE = 1000
export const DEFAULT_TOKENS = { least: 64, most: 64 }
export const DEFAULT_SLO_SHARE = 0.99
export const DEFAULT_CLOCK_PORT = 4100
export const DEFAULT_SEED = 1

/** The most callers of the closed model. */
const MOST_CALLERS = 10_000
const MOST_TURNS = 100

/** The commands that measure streams; `run` does with `breakpoint`. */
const STREAMS = ['latency', 'run']

export const STREAM_FLAGS = {
  concurrency: {
    usage: '--concurrency N',
    read: whole(1, MOST_CALLERS),
    group: 'Streams',
    commands: ['latency'],
    about: 'Keep this number of requests in flight (closed model), instead of `--rate`',
  },
  arrivals: {
    usage: '--arrivals NAME',
    read: oneOf<'poisson' | 'constant'>(['poisson', 'constant']),
    choices: ['poisson', 'constant'],
    commands: STREAMS,
    about: 'Times between requests: `poisson` or `constant`',
    fallback: '`poisson`',
  },
  promptTokens: {
    usage: '--prompt-tokens N|A-B',
    read: tokenRange,
    commands: STREAMS,
    about:
      'Tokens of a prompt, as two short requests before the run show how the service counts; without the flag so many words',
    fallback: DEFAULT_TOKENS.least,
  },
  answerTokens: {
    usage: '--answer-tokens N|A-B',
    read: tokenRange,
    commands: STREAMS,
    about: '`max_tokens` of a request',
    fallback: DEFAULT_TOKENS.least,
  },
  sharedPrefix: {
    usage: '--shared-prefix N',
    read: whole(0, 1_000_000),
    commands: STREAMS,
    about: 'Tokens at the beginning of a prompt that all prompts share, of those of `--prompt-tokens`',
    fallback: 0,
  },
  turns: {
    usage: '--turns N',
    read: whole(1, MOST_TURNS),
    commands: STREAMS,
    about: 'Requests of each conversation; the messages and answers before are sent with each',
    fallback: 1,
  },
  prompts: {
    usage: '--prompts FILE',
    read: promptFile,
    commands: STREAMS,
    about:
      'JSON Lines with `prompt` or `messages`, and optionally `max_tokens`, taken in turn instead of generated prompts',
  },
  withoutUsage: {
    usage: '--without-usage',
    commands: STREAMS,
    about: 'Do not send `stream_options.include_usage`, for services that refuse it',
  },
  seed: {
    usage: '--seed N',
    read: whole(0, 0x7fff_ffff),
    commands: STREAMS,
    about: 'Seed of the arrivals, lengths and prompts',
    fallback: DEFAULT_SEED,
  },
  startIn: {
    usage: '--start-in SECONDS',
    read: whole(1, 86_400),
    commands: ['latency'],
    about: 'With `--plan`: time until the generators start, in seconds, so that all start together',
    fallback: 'when they are ready',
  },
  slo: {
    usage: '--slo ttft=MS,tpot=MS,e2e=MS',
    read: slo,
    commands: STREAMS,
    about:
      'Latency objectives of each stream, in milliseconds; `breakpoint` then finds the highest rate that keeps them',
  },
  sloShare: {
    usage: '--slo-share PERCENT',
    read: share,
    commands: STREAMS,
    about: 'Share of the offered requests that must complete and meet `--slo`, in percent',
    fallback: DEFAULT_SLO_SHARE * 100,
  },
} as const satisfies Readonly<Record<string, Switch | ValueFlag<unknown>>>

export const CLOCK_FLAGS = {
  listen: {
    usage: '--listen PORT',
    read: whole(0, 65_535),
    group: 'Clock',
    commands: ['clock'],
    about: 'Port of the calibrated service, on 127.0.0.1; 0 for any that is free',
    fallback: DEFAULT_CLOCK_PORT,
  },
  scenario: {
    usage: '--scenario NAME',
    read: notEmpty,
    commands: ['clock'],
    about: 'Timing script for every model; without it the model `clock-NAME` names the script',
  },
} as const satisfies Readonly<Record<string, Switch | ValueFlag<unknown>>>
