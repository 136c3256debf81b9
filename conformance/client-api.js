// The judge of clients for programs, as the package exports it. An older Node gets one clear error: it would fail to load
// the rest.
import { nodeProblem } from '../harness/cli/node-version.js'

if (nodeProblem !== undefined) throw new Error(nodeProblem)
export const { runClientConformance } = await import('./run-client-conformance.ts')
