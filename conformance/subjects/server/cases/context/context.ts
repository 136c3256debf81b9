// The context of a model: its length (MODEL-9), a prompt that is longer (ERR-10), and what of it is cached (WIRE-35).
import type { Observer } from '../../../../contract/observer.ts'
import type { Case } from '../../case.ts'
import { cachedTokenCases } from './cached-tokens.ts'
import { overflowErrorCases } from './overflow-errors.ts'
import { statedContextCases, statedContextObservers } from './stated-context.ts'

export const cases: readonly Case[] = [...statedContextCases, ...overflowErrorCases, ...cachedTokenCases]

export const observers: readonly Observer[] = statedContextObservers
