// Streaming: the framing of an event stream, its chunks, its agreement with the plain answer, and its pace (STREAM-1 to
// STREAM-12, STREAM-14, ERR-6). Invalid bodies with `stream: true` are in the folder of invalid bodies (STREAM-13).
import type { Case } from '../../case.ts'
import type { Observer } from '../../../../contract/observer.ts'
import { chunkCases } from './chunks.ts'
import { errorCases, errorObservers } from './stream-errors.ts'
import { framingCases, usageCases } from './framing.ts'
import { streamObservers } from './stream-observers.ts'
import { silenceObservers } from './silence.ts'
import { parityCases } from './parity.ts'
import { timeCases } from './time.ts'

export const cases: readonly Case[] = [
  ...framingCases,
  ...chunkCases,
  ...parityCases,
  ...usageCases,
  ...errorCases,
  ...timeCases,
]

export const observers: readonly Observer[] = [...errorObservers, ...streamObservers, ...silenceObservers]
