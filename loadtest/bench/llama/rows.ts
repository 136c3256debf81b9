// The tokens per second of our inference as rows, one for each server beside it.
import { type Row, round, rounded } from '../table.ts'
import type { Point } from './llama.ts'

export function rowsOfPoints(points: readonly Point[]): Row[] {
  return points.map((point) => {
    const { model, streams, contender, tokensPerSecond, oursToThis, interval } = point
    const row = { name: `llama: ${model} ×${streams}`, metric: 'tokens/s' }
    const ours = points.find((other) => other.model === model && other.streams === streams) ?? point
    if (ours === point) return { ...row, ours: round(tokensPerSecond) }
    return {
      ...row,
      ours: round(ours.tokensPerSecond),
      reference: round(tokensPerSecond),
      referenceName: contender,
      ratio: round(oursToThis ?? ours.tokensPerSecond / tokensPerSecond, 2),
      interval: rounded(interval),
    }
  })
}
