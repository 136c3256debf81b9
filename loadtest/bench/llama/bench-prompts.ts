// Compares the time to the first token of long prompts, new ones and ones whose beginning was just evaluated. The servers
// run in turn, round by round.
import { basename } from 'node:path'
import { comparedRow, inTurn, type Row, round } from '../bench-rows.ts'
import type { Running } from './llama-servers.ts'
import { runStreams, type StreamFigures } from './run-streams.ts'
import { median } from '../../theory/statistics.ts'

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
  [ours, ...others]: readonly [PromptContender, ...PromptContender[]],
  rounds: number,
): Promise<Row[]> {
  const all = [ours, ...others]
  const wordsOf = await sizing(ours)
  /** Milliseconds by size, case and contender: one value for each round. */
  const times = PROMPT_SIZES.map(() => CASES.map(() => all.map((): number[] => [])))
  // The first round is a warm-up with the shortest prompt, not counted.
  for (let run = 0; run <= rounds; run += 1) {
    for (const [place, size] of PROMPT_SIZES.entries()) {
      if (run === 0 && place > 0) continue
      for (const [index, { server }] of inTurn(all, run)) {
        const text = { begin: `Stone ${run}.${size}`, words: wordsOf(size) }
        const { firstTokenMs: fresh } = await ask(server, text, 1)
        const { firstTokenMs: shared } = await ask(server, text, REPEATED)
        if (run === 0) continue
        times[place]?.[0]?.[index]?.push(median(fresh))
        times[place]?.[1]?.[index]?.push(median(shared))
      }
    }
  }
  return PROMPT_SIZES.flatMap((size, place) =>
    CASES.flatMap((name, kind) => {
      const title = `llama: ${basename(file, '.gguf')}, prompt of ${size} tokens, ${name}`
      return rowsOf(title, times[place]?.[kind] ?? [], others)
    }),
  )
}

function rowsOf(
  name: string,
  [own = [], ...rest]: readonly (readonly number[])[],
  others: readonly PromptContender[],
): Row[] {
  const row = { name, metric: 'ms to the first token' }
  if (rest.length === 0) return [{ ...row, ours: round(median(own), 1) }]
  return rest.map((values, other) => {
    const referenceName = others[other]?.name ?? ''
    return comparedRow({ ...row, referenceName }, own, values, { isCost: true })
  })
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
