// Evaluates the sequences of one model in batches: a batch begins when each sequence in flight wants its next tokens. A
// batch of all costs little more than a batch of one, and between two batches the context is free for other work.
// Sequences are in a batch in their order: llama.cpp evaluates adjacent sequences of its context together, and all
// others one after another.
import type { NativeContext, NativeSampler } from './native-llama.ts'

export type Batches = ReturnType<typeof createBatches>

/** Its methods are called one at a time, and none after `leave`. */
export type BatchedSequence = ReturnType<Batches['join']>

export interface EvaluateOptions {
  /** Whether the next token can be drawn afterwards. Default: false. */
  readonly toGoOn?: boolean
  /** Whether the tokens get batches without other sequences. Default: false. */
  readonly isApart?: boolean
}

export interface BatchesOptions {
  readonly context: NativeContext
  /** Maximum number of tokens of a batch; at least the number of sequences. */
  readonly size: number
  /** Takes the likeliest token. */
  readonly greedy: NativeSampler
  /** Called when a batch is in flight, and when the last sequence left. */
  onBatch(): void
}

/** An evaluation that a sequence waits for. */
interface Wanted {
  readonly index: number
  /** The position of the first of `tokens` in the sequence. */
  position: number
  tokens: readonly number[]
  /** Whether the logits of the last one are wanted. */
  readonly toGoOn: boolean
  readonly isApart: boolean
  /** Samples the next token as soon as possible; undefined before the first one. */
  readonly sampler: NativeSampler | undefined
  resolve(evaluated: Evaluated): void
  reject(error: unknown): void
}

interface Evaluated {
  /** The place of the logits of the last token; undefined if they are not needed. */
  readonly logits: number | undefined
  /** The next token; undefined if none was requested. */
  readonly drawn: Promise<number> | undefined
}

export function createBatches({ context, size, greedy, onBatch }: BatchesOptions) {
  let members = 0
  let waiting: Wanted[] = []
  let decoding: Promise<void> | undefined

  function beginIfAllWait(): void {
    if (waiting.length < members || decoding !== undefined) return
    if (waiting.length === 0) {
      onBatch()
      return
    }
    // The oldest evaluation decides, so that evaluations apart and shared batches take turns.
    const [first] = waiting
    const isChosen = (wanted: Wanted): boolean => wanted === first || !(first?.isApart || wanted.isApart)
    const chosen = waiting.filter(isChosen)
    waiting = waiting.filter((wanted) => !isChosen(wanted))
    const ordered = chosen.toSorted((a, b) => a.index - b.index)
    decoding = decode(ordered).finally(() => {
      decoding = undefined
      // Tokens that did not fit go into the next batch.
      beginIfAllWait()
    })
    onBatch()
  }

  async function decode(ordered: readonly Wanted[]): Promise<void> {
    const amounts = shares(
      ordered.map(({ tokens }) => tokens.length),
      size,
    )
    const part = ordered.map((wanted, place) => ({ wanted, amount: amounts[place] ?? 0 }))
    const draws = new Map<Wanted, Promise<number>>()
    try {
      context.initBatch(amounts.reduce((sum, amount) => sum + amount, 0))
      const added = part.map(({ wanted, amount }) => {
        const { index, position, tokens, toGoOn } = wanted
        const whole = amount === tokens.length
        const places = Uint32Array.from(whole && toGoOn ? [amount - 1] : [])
        const [logits] = context.addToBatch(
          index,
          position,
          Uint32Array.from(tokens.slice(0, amount)),
          places,
        )
        return { wanted, amount, whole, logits }
      })
      const decoded = context.decodeBatch()
      // The draws run after the batch, because the pool has one thread (see `fork` in llama-process.ts).
      for (const { wanted, logits } of added) {
        if (logits !== undefined && wanted.sampler !== undefined)
          draws.set(wanted, draw(logits, wanted.sampler))
      }
      await decoded
      for (const { wanted, amount, whole, logits } of added) {
        if (whole) {
          wanted.resolve({ logits, drawn: draws.get(wanted) })
          continue
        }
        wanted.position += amount
        wanted.tokens = wanted.tokens.slice(amount)
        waiting.push(wanted)
      }
    } catch (error) {
      // The samplers are in use until these draws end.
      await Promise.allSettled(draws.values())
      for (const { reject } of ordered) reject(error)
    }
  }

  async function draw(logits: number, sampler: NativeSampler): Promise<number> {
    const token = await context.sampleToken(logits, sampler)
    if (token < 0) throw new Error('no token could be drawn')
    return token
  }

  return {
    /** Adds the sequence with this index in the context; an index can join again only after it has left. */
    join(index: number) {
      members += 1
      let joined = true
      let length = 0
      let logits: number | undefined

      async function evaluate(
        tokens: readonly number[],
        options: Pick<Wanted, 'toGoOn' | 'isApart' | 'sampler'>,
      ): Promise<Evaluated> {
        const evaluated = await new Promise<Evaluated>((resolve, reject) => {
          waiting.push({ ...options, index, position: length, tokens, resolve, reject })
          beginIfAllWait()
        })
        logits = evaluated.logits
        length += tokens.length
        return evaluated
      }

      function lastLogits(): number {
        if (logits === undefined) throw new Error('nothing was evaluated to go on from')
        return logits
      }

      return {
        /** Forgets all but the first `kept` tokens. */
        async keep(kept: number): Promise<void> {
          // The batch in flight does not have this sequence, and no further batch begins without it.
          await decoding
          if (!context.removeTokenCellsFromSequence(index, kept, -1)) {
            throw new Error('the model cannot forget a part of a sequence')
          }
          length = kept
        },
        /** Evaluates `tokens`, at least one, at the end of the sequence. */
        async evaluate(
          tokens: readonly number[],
          { toGoOn = false, isApart = false }: EvaluateOptions = {},
        ): Promise<void> {
          await evaluate(tokens, { toGoOn, isApart, sampler: undefined })
        },
        /** Evaluates `tokens` and draws the next one: one round trip to the worker thread instead of two. */
        async evaluateAndDraw(tokens: readonly number[], sampler: NativeSampler): Promise<number> {
          const { drawn } = await evaluate(tokens, { toGoOn: true, isApart: false, sampler })
          return drawn ?? draw(lastLogits(), sampler)
        },
        /** Draws a token to follow the last evaluated one, without evaluating it. The caller may draw again. */
        draw: async (sampler: NativeSampler): Promise<number> => draw(lastLogits(), sampler),
        /** The model's own probability of every token to follow the last evaluated one, likeliest first. */
        async distribution(): Promise<ReadonlyMap<number, number>> {
          const [, reported] = await context.sampleToken(lastLogits(), greedy, true)
          const probabilities = new Map<number, number>()
          for (let at = 0; at + 1 < reported.length; at += 2)
            probabilities.set(reported[at] ?? 0, reported[at + 1] ?? 0)
          return probabilities
        },
        /** Whether no other sequence has joined. */
        isAlone: () => members === 1,
        /** Lets batches begin without this sequence until the returned function is called. */
        pause(): () => void {
          members -= 1
          beginIfAllWait()
          return () => void (members += 1)
        },
        /** Lets batches begin without this sequence from now on. Safe to call twice. */
        leave(): void {
          if (!joined) return
          joined = false
          members -= 1
          beginIfAllWait()
        },
      }
    },
  }
}

/**
 * Divides `size` tokens among sequences that want `lengths` tokens: each gets an equal share, or less if it wants less. The
 * first sequences then get the rest, up to the tokens that they want.
 */
export function shares(lengths: readonly number[], size: number): number[] {
  const share = Math.max(1, Math.floor(size / lengths.length))
  const amounts = lengths.map((length) => Math.min(length, share))
  let left = size - amounts.reduce((sum, amount) => sum + amount, 0)
  return lengths.map((length, place) => {
    const amount = amounts[place] ?? 0
    const more = Math.max(0, Math.min(left, length - amount))
    left -= more
    return amount + more
  })
}
