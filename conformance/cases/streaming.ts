// Streaming: the framing of an event stream, its chunks, and its agreement with the plain answer (STREAM-1 to
// STREAM-10, ERR-6). Invalid bodies with `stream: true` stand with the other invalid bodies (STREAM-13).
import type { Case, Observer } from '../case.ts'
import { chunkCases } from './streaming-chunks.ts'
import { errorCases, errorObservers } from './streaming-errors.ts'
import { framingCases } from './streaming-framing.ts'
import { parityCases } from './streaming-parity.ts'
import { usageCases } from './streaming-usage.ts'

export const cases: readonly Case[] = [
  ...framingCases,
  ...chunkCases,
  ...parityCases,
  ...usageCases,
  ...errorCases,
]

export const observers: readonly Observer[] = errorObservers
