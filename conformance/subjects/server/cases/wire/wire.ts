// The wire format of an answer, the effect of request fields, and the forms of messages and tokens (WIRE-1 to 9, 12 to
// 14, 17 to 22). Ranges and rules between fields are in the folder of invalid bodies (WIRE-10, 11), model records in
// that of models (WIRE-15, 16).
import type { Case } from '../../case.ts'
import type { Observer } from '../../../../contract/observer.ts'
import { candidateCases, candidateObservers } from './candidates.ts'
import { memberObservers } from '../requests/optional-members.ts'
import { codingCases, codingObservers } from '../chat/content-coding.ts'
import { completionCases, completionObservers, headerCases, headerObservers } from './completion-shape.ts'
import { contextCases, conversationCases } from '../conversation/conversations.ts'
import { overflowCases } from '../conversation/streamed-overflow.ts'
import { fieldCases } from './field-effects.ts'
import { fieldObservers } from './field-observers.ts'
import { countCases, countObservers } from './honest-counts.ts'
import { jsonCases } from './json-answers.ts'
import { logitBiasCases } from './logit-bias.ts'
import { logprobCases } from './logprobs.ts'
import { reasoningObservers, markupObservers } from '../requests/markup.ts'
import { messageCases } from '../conversation/message-forms.ts'
import { positionCases } from '../conversation/message-positions.ts'
import { answerObservers } from './wire-observers.ts'
import { nullCases } from './nulls.ts'
import { strictJsonObservers } from './strict-json.ts'
import { stopCases } from './stop-strings.ts'
import { tokenLimitCases } from './token-limits.ts'
import { unsupportedCases } from './unsupported.ts'
import { usageCases } from './usage-counts.ts'

export const cases: readonly Case[] = [
  ...completionCases,
  ...fieldCases,
  ...tokenLimitCases,
  ...stopCases,
  ...messageCases,
  ...positionCases,
  ...conversationCases,
  ...overflowCases,
  ...contextCases,
  ...nullCases,
  ...unsupportedCases,
  ...jsonCases,
  ...usageCases,
  ...logprobCases,
  ...logitBiasCases,
  ...headerCases,
  ...codingCases,
  ...countCases,
  ...candidateCases,
]

export const observers: readonly Observer[] = [
  ...completionObservers,
  ...answerObservers,
  ...fieldObservers,
  ...markupObservers,
  ...reasoningObservers,
  ...headerObservers,
  ...codingObservers,
  ...countObservers,
  ...candidateObservers,
  ...memberObservers,
  ...strictJsonObservers,
]
