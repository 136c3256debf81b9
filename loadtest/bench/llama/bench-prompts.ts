// Compares the time to the first token of long prompts, new ones and ones whose beginning was just evaluated. The servers
// run in turn, round by round.
import { basename } from 'node:path'
import { median } from '../../theory/statistics.ts'
import { comparedRows, type Figure } from '../bench-rows.ts'
import { inRounds } from '../compare-rounds.ts'
import type { Running } from './llama-servers.ts'
import { runStreams, type StreamFigures } from './run-streams.ts'

/** Tokens of a prompt. */
export const PROMPT_SIZES = [256, 512, 2048] as const
/** Answers with the same beginning after each new prompt. */
const REPEATED = 3
/** The answer is short: only its first token counts. */
const ANSWER_TOKENS = 2

/** Numbers of words that show how many tokens a word has. */
const [FEW, MANY] = [8, 72] as const

const CASES = ['new', 'shared beginning'] as const

export interface PromptContender {
  readonly name: string
  readonly server: Running
}

/** A row for each size and case, with the ratio of the other server's time to ours. */
export async function benchPrompts(
  file: string,
  contenders: readonly [PromptContender, ...PromptContender[]],
  rounds: number,
): Promise<Figure[]> {
  const wordsOf = await sizing(contenders[0])
  const measurements = PROMPT_SIZES.flatMap((size) =>
    contenders.map(({ server }) => async (round: number) => {
      const text = { begin: `Stone ${round}.${size}`, words: wordsOf(size) }
      const fresh = await ask(server, text, 1)
      const shared = await ask(server, text, REPEATED)
      return { new: median(fresh.firstTokenMs), 'shared beginning': median(shared.firstTokenMs) }
    }),
  )
  // Warm-up with the shortest prompt.
  for (const measure of measurements.slice(0, contenders.length)) await measure(0)
  const figures = await inRounds(rounds, measurements)
  const names = contenders.map(({ name }) => name)
  return PROMPT_SIZES.flatMap((size, place) =>
    CASES.flatMap((kind) => {
      const name = `llama: ${basename(file, '.gguf')}, prompt of ${size} tokens, ${kind}`
      const ofSize = figures.slice(place * names.length, (place + 1) * names.length)
      const times = ofSize.map((own) => own.map((figure) => figure[kind]))
      return comparedRows({ name, metric: 'ms to the first token' }, times, names, { isCost: true })
    }),
  )
}

interface Text {
  readonly begin: string
  readonly words: number
}

/** The words of a prompt of about `size` tokens. */
async function sizing({ server }: PromptContender): Promise<(size: number) => number> {
  const count = async (words: number): Promise<number> => {
    const { promptTokens } = await ask(server, { begin: 'Sizes', words }, 1)
    return promptTokens[0] ?? NaN
  }
  const [few, many] = [await count(FEW), await count(MANY)]
  const tokensOfWord = (many - few) / (MANY - FEW)
  return (size) => FEW + Math.round((size - few) / tokensOfWord)
}

let asked = 0

/** Answers one after another. The prompts have the same beginning and end differently. */
async function ask(server: Running, { begin, words }: Text, answers: number): Promise<StreamFigures> {
  return await runStreams({
    ...server,
    streams: 1,
    answers,
    tokens: ANSWER_TOKENS,
    prompt() {
      asked += 1
      return { system: begin, user: `${' stone'.repeat(words)}. Question ${1000 + (asked % 9000)}?` }
    },
  })
}
