// Values that are often lost, changed or refused in one place and not in another: hard texts and names wherever text crosses
// (`generate/hard-values.ts`), and defaults that a request states (TOOL-1, 4 to 6, WIRE-10, 18, STREAM-6, CHAT-8, 9).
import type { Case } from '../../case.ts'
import { defaultCases } from './stated-defaults.ts'
import { exactAnswerCases, exactCallCases } from './exact-numbers.ts'
import { hardAnswerCases } from './hard-answers.ts'
import { hardCallCases } from './hard-calls.ts'
import { hardPlaceCases } from './hard-places.ts'
import { thoughtCases } from './streamed-thoughts.ts'

export const cases: readonly Case[] = [
  ...hardCallCases,
  ...hardAnswerCases,
  ...hardPlaceCases,
  ...exactCallCases,
  ...exactAnswerCases,
  ...thoughtCases,
  ...defaultCases,
]
