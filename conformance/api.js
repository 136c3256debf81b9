// The judge for programs, as the package exports it. An older Node gets one clear error: it would fail to load the rest.
import { nodeProblem } from '../harness/cli/node-version.js'

if (nodeProblem !== undefined) throw new Error(nodeProblem)
export const { checks, renderReport, runConformance, testsOf, verifyRun } = await import('./public-api.ts')
