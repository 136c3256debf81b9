// The forms that messages, answers and tokens may have (WIRE-9, WIRE-17 to WIRE-20).
import type { Case } from '../case.ts'
import { jsonCases } from './wire-json.ts'
import { tokenCases } from './wire-logprobs.ts'
import { messageCases } from './wire-messages.ts'

export const cases: readonly Case[] = [...messageCases, ...jsonCases, ...tokenCases]
