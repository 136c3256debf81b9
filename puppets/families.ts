// All families, by their names.
import type { Family } from './family.ts'
import {
  granite,
  hermes,
  llama3,
  mistralNemo,
  mistralSmall,
  nemotron,
  qwen3,
} from './families/json-families.ts'
import { deepseekR1, glm, kimi, minimax, qwen3Coder } from './families/tagged-families.ts'

export const FAMILIES: readonly Family[] = [
  hermes,
  qwen3,
  qwen3Coder,
  llama3,
  mistralNemo,
  mistralSmall,
  deepseekR1,
  glm,
  kimi,
  minimax,
  granite,
  nemotron,
]
