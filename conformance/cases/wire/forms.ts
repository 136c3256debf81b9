// The forms that messages, answers and tokens may have (WIRE-9, WIRE-17 to WIRE-20).
import type { Case } from '../../runner/case.ts'
import { jsonCases } from './json.ts'
import { tokenCases } from './logprobs.ts'
import { messageCases } from './messages.ts'

export const cases: readonly Case[] = [...messageCases, ...jsonCases, ...tokenCases]
