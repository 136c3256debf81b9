// The needs of agents beside a long context: thoughts that are switched off (WIRE-34), images in the results of tools (WIRE-36),
// and a format beside tools (TOOL-8).
import type { Case } from '../../case.ts'
import { formatCases } from './format-beside-tools.ts'
import { resultImageCases } from './result-images.ts'
import { effortCases } from './switched-off-thoughts.ts'

export const cases: readonly Case[] = [...effortCases, ...resultImageCases, ...formatCases]
