// The next token of a sequence, drawn by the library itself or told as the whole distribution. A draw can be taken back:
// its position is then evaluated again, which costs less than the whole distribution of every token does.
import type { EvaluationPriority, LlamaContextSequence, SequenceEvaluateOptions, Token } from 'node-llama-cpp'

/** No cut, so that the library tells every token's probability; its own draw is not used. */
const WHOLE_DISTRIBUTION = { temperature: 0, topK: 0, topP: 1, minP: 0, yieldEogToken: true } as const

/** All methods evaluate `tokens`, at least one, after those before. One call at a time. */
export interface Steps {
  /** The token that the library draws, which may be one that ends the answer; it is not evaluated. */
  draw(tokens: Token[]): Promise<Token>
  /** The model's own probability of every token. */
  distribution(tokens: Token[]): Promise<ReadonlyMap<Token, number>>
  /** Forgets the last of the tokens of the call before, which is to be given again. */
  takeBack(): Promise<void>
  close(): Promise<void>
}

/**
 * `drawing` is asked each time that the library begins to draw anew, which needs a seed of its own. `ready` is waited
 * for before anything is evaluated. `evaluationPriority` is the sequence's place in a batch.
 */
export function createSteps(
  sequence: LlamaContextSequence,
  drawing: () => SequenceEvaluateOptions,
  ready: () => Promise<void>,
  evaluationPriority: EvaluationPriority,
): Steps {
  let drawn: ReturnType<typeof beginToDraw> | undefined
  let told: ReturnType<typeof beginToTell> | undefined

  function beginToDraw(tokens: Token[]) {
    return sequence.evaluateWithMetadata(tokens, {}, { ...drawing(), evaluationPriority })
  }
  function beginToTell(tokens: Token[]) {
    return sequence.evaluateWithMetadata(
      tokens,
      { probabilities: true },
      { ...WHOLE_DISTRIBUTION, evaluationPriority },
    )
  }

  async function close(): Promise<void> {
    await drawn?.return()
    await told?.return()
    drawn = undefined
    told = undefined
  }

  return {
    async draw(tokens) {
      if (told !== undefined) await close()
      await ready()
      const step = drawn === undefined ? await (drawn = beginToDraw(tokens)).next() : await drawn.next(tokens)
      return valueOf(step).token
    },
    async distribution(tokens) {
      if (drawn !== undefined) await close()
      await ready()
      const step = told === undefined ? await (told = beginToTell(tokens)).next() : await told.next(tokens)
      return valueOf(step).probabilities
    },
    async takeBack() {
      await close()
      const end = sequence.nextTokenIndex
      await sequence.eraseContextTokenRanges([{ start: end - 1, end }])
    },
    close,
  }
}

/** These sequences have no end: they give the tokens that end an answer as any other. */
function valueOf<T>(step: IteratorResult<T, void>): T {
  if (step.done === true) throw new Error('the library gave no token')
  return step.value
}
