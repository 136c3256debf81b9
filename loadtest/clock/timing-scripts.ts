// The timing scripts of the calibrated service. Each is a situation that some load generators measure wrong, or the
// usual case for comparison.
import {
  FIRST_MS,
  GAP_MS,
  type Script,
  TOKENS,
  chunk,
  comment,
  done,
  ends,
  error,
  even,
  finish,
  reasoning,
  refused,
  role,
  scatter,
  script,
  step,
  usage,
  whole,
  words,
} from './script-steps.ts'

/** The scripts by name, which is also the end of the model id: `clock-even`. */
export const SCRIPTS: Readonly<Record<string, Script>> = {
  even: script('20 tokens, the first after 100 ms, then every 20 ms', () => whole(even())),
  instant: script('The first token at once', () => whole(words(TOKENS, 0, GAP_MS))),
  late: script('The first token after 800 ms', () => whole(words(TOKENS, 800, 5))),
  fast: script('100 tokens, one every 5 ms', () => whole(words(100, 50, 5))),
  slow: script('5 tokens, one every 200 ms', () => whole(words(5, 200, 200))),
  'role-early': script('A role chunk after 10 ms, the first token after 300 ms', () =>
    whole([role(10), ...words(TOKENS, 290, GAP_MS)]),
  ),
  'empty-early': script('A chunk with empty content after 10 ms, the first token after 300 ms', () =>
    whole([step('empty', 10), ...words(TOKENS, 290, GAP_MS)]),
  ),
  'comment-early': script('A comment after 10 ms, the first token after 300 ms', () =>
    whole([comment(10), ...words(TOKENS, 290, GAP_MS)]),
  ),
  'comments-between': script('A comment in the middle of every gap of 40 ms', () =>
    whole(words(10, FIRST_MS, 20).flatMap((one) => [one, comment(20)])),
  ),
  reasoning: script('10 events of reasoning before the content', () =>
    whole([
      ...Array.from({ length: 10 }, (_, at) => reasoning(at === 0 ? FIRST_MS : GAP_MS)),
      ...words(10, 60, GAP_MS),
    ]),
  ),
  'reasoning-vllm': script('Reasoning in the member `reasoning`', () =>
    whole([
      ...Array.from({ length: 10 }, (_, at) => ({
        ...reasoning(at === 0 ? FIRST_MS : GAP_MS),
        text: chunk({ reasoning: 'thought ' }),
      })),
      ...words(10, 60, GAP_MS),
    ]),
  ),
  'tool-call': script('A tool call and no content', () =>
    whole([role(10), step('call', 90, 4), ...Array.from({ length: 5 }, () => step('call', GAP_MS, 2))]),
  ),
  'tokens-per-event': script('4 tokens in every event', () => whole(words(TOKENS, FIRST_MS, GAP_MS, 4))),
  'token-in-parts': script('One token in every two events, as bytes of one character', () =>
    whole(even().map((one, at) => Object.assign({}, one, { tokens: at % 2 }))),
  ),
  coalesced: script('Events leave five at a time', () =>
    whole(words(TOKENS, FIRST_MS, (at) => (at % 5 === 0 ? 100 : 0))),
  ),
  split: script('Every event leaves in two halves, 10 ms apart', () =>
    whole(words(10, 90, 30).map((one) => Object.assign({}, one, { halfMs: 10 }))),
  ),
  crlf: script('Line ends are CRLF', () => {
    const answer = whole(even())
    return {
      ...answer,
      steps: answer.steps.map((one) => Object.assign({}, one, { text: one.text.replaceAll('\n', '\r\n') })),
    }
  }),
  stall: script('A pause of 500 ms in the middle', () =>
    whole(words(TOKENS, FIRST_MS, (at) => (at === 10 ? 500 : 10))),
  ),
  slower: script('Gaps that grow from 5 to 50 ms', () =>
    whole(words(TOKENS, FIRST_MS, (at) => 5 + (45 * at) / TOKENS)),
  ),
  faster: script('Gaps that shrink from 50 to 5 ms', () =>
    whole(words(TOKENS, FIRST_MS, (at) => 50 - (45 * at) / TOKENS)),
  ),
  jitter: script('Gaps and first tokens that vary', (n) =>
    whole(words(TOKENS, 50 + 200 * scatter(n), (at) => 40 * scatter(n * 31 + at))),
  ),
  'heavy-tail': script('One stream in six has its first token after 1 s, the others after 50 ms', (n) =>
    whole(words(TOKENS, n % 6 === 0 ? 1000 : 50, 10)),
  ),
  'usage-late': script('The usage 300 ms after the last token', () =>
    ends([...even(), finish(), usage(300, TOKENS), done()]),
  ),
  'done-late': script('[DONE] 300 ms after the last token', () =>
    ends([...even(), finish(), usage(0, TOKENS), done(300)]),
  ),
  'finish-late': script('The finish reason 300 ms after the last token', () =>
    ends([...even(), finish(300), usage(0, TOKENS), done()]),
  ),
  'left-open': script('The connection stays open after [DONE]', () =>
    ends([...even(), finish(), usage(0, TOKENS), done()], 'open'),
  ),
  'usage-in-every-chunk': script('Every chunk has the usage so far', () => {
    const steps = even().map((one, at) =>
      Object.assign({}, one, {
        also: 'usage' as const,
        text: one.text.replace(/\}\n\n$/, `,"usage":{"prompt_tokens":10,"completion_tokens":${at + 1}}}\n\n`),
      }),
    )
    return ends([...steps, finish(), done()])
  }),
  'no-usage': script('No usage', () => ends([...even(), finish(), done()])),
  'one-token': script('A single token', () => whole(words(1, FIRST_MS, 0))),
  nothing: script('A whole stream without output', () => ends([role(50), finish(), usage(0, 0), done()])),
  'finish-with-content': script('The finish reason is in the last chunk with content', () => {
    const [last, ...before] = even().toReversed()
    const text = chunk({ content: 'word' }, 'stop')
    return ends([
      ...before.toReversed(),
      ...(last === undefined ? [] : [{ ...last, text, also: 'finish' as const }]),
      usage(0, TOKENS),
      done(),
    ])
  }),
  'error-first': script('Every second stream is an error record at once', (n) =>
    n % 2 === 0 ? whole(even()) : ends([error(5), done()]),
  ),
  'error-midway': script('Every second stream ends with an error record after 5 tokens', (n) =>
    n % 2 === 0 ? whole(even()) : ends([...even().slice(0, 5), error(5)]),
  ),
  cut: script('Every third stream ends after 5 tokens, properly closed', (n) =>
    n % 3 === 0 ? ends(even().slice(0, 5)) : whole(even()),
  ),
  reset: script('Every third connection is reset after 5 tokens', (n) =>
    n % 3 === 0 ? ends(even().slice(0, 5), 'reset') : whole(even()),
  ),
  'no-done': script('Every third stream has no [DONE]', (n) =>
    n % 3 === 0 ? ends([...even(), finish(), usage(0, TOKENS)]) : whole(even()),
  ),
  'no-finish': script('Every third stream has no finish reason', (n) =>
    n % 3 === 0 ? ends([...even(), usage(0, TOKENS), done()]) : whole(even()),
  ),
  refusals: script('Every second request is answered with 429, 500 or 503', (n) =>
    n % 2 === 0 ? whole(even()) : refused([429, 500, 503][(n >> 1) % 3] ?? 500),
  ),
  silent: script('Every fifth stream stops after 5 tokens and stays open', (n) =>
    n % 5 === 0 ? ends(even().slice(0, 5), 'silent') : whole(even()),
  ),
  serial: script('One stream of 50 ms at a time: the others wait', () => ({
    ...whole(words(5, 10, 10)),
    isSerial: true,
  })),
}

/** The scripts for the help, one line each. */
export function scriptList(): string {
  const width = Math.max(...Object.keys(SCRIPTS).map(({ length }) => length))
  return Object.entries(SCRIPTS)
    .map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}`)
    .join('\n')
}
