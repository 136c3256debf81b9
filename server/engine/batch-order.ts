// The order of the sequences in a batch. llama.cpp evaluates those together that follow each other in its context, and
// any others one after another, which takes as long as batches of their own.
import type { BatchItem, EvaluationPriority, PrioritizedBatchItem } from 'node-llama-cpp'

/** Tells the order in the one number that the library carries from a sequence to its batches. */
export function placeInBatch(index: number): EvaluationPriority {
  return index as EvaluationPriority
}

/** All items in the order of their sequences; where they are too many tokens, each gets its share, and the first get what is left. */
export function inOrderOfPlaces({
  items,
  size,
}: {
  readonly items: readonly BatchItem[]
  readonly size: number
}): PrioritizedBatchItem[] {
  const ordered = items.toSorted((a, b) => a.evaluationPriority - b.evaluationPriority)
  const share = Math.max(1, Math.floor(size / ordered.length))
  const shares = ordered.map((item) => Math.min(item.tokens.length, share))
  let left = size - shares.reduce((sum, amount) => sum + amount, 0)
  return ordered.map((item, index) => {
    const amount = shares[index] ?? 0
    const more = Math.max(0, Math.min(left, item.tokens.length - amount))
    left -= more
    return { item, processAmount: amount + more }
  })
}
