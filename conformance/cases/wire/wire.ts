// The wire format of an answer, and the effect of the fields that a request may have (WIRE-1 to 8, 12 to 14, 22, 23).
// Ranges and the rules between fields stand with the invalid bodies (WIRE-10, WIRE-11).
import type { Case, Observer } from '../../runner/case.ts'
import { completionCases, completionObservers } from './completion.ts'
import { fieldCases } from './fields.ts'
import { nullCases } from './nulls.ts'
import { unsupportedCases } from './unsupported.ts'

export const cases: readonly Case[] = [...completionCases, ...fieldCases, ...nullCases, ...unsupportedCases]

export const observers: readonly Observer[] = completionObservers
