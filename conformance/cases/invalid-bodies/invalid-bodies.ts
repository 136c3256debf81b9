// Bodies that break exactly one constraint of the document, found and shrunk by properties (CHAT-4 to 6, WIRE-10,
// WIRE-11), and the same with `stream: true` (STREAM-13). Only what a row demands is broken: a constraint that the
// document alone states says nothing about another service.
import type { Case } from '../../runner/case.ts'
import { chatMutations, rangeMutations, ruleMutations } from './mutations.ts'
import { mutationCase } from './mutated-bodies.ts'
import { streamedCases } from './streamed.ts'

export const cases: readonly Case[] = [
  ...[...chatMutations, ...rangeMutations, ...ruleMutations].map(mutationCase),
  ...streamedCases,
]
