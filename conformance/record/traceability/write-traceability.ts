// Writes docs/traceability.md (`npm run traceability`).
import { writeFileSync } from 'node:fs'
import { CHECKS } from '../results/check-index.ts'
import { heldByTests } from './held-by-tests.ts'
import { renderTraceability } from './traceability.ts'

const file = new URL('../../../docs/traceability.md', import.meta.url)
writeFileSync(file, renderTraceability([...CHECKS.values()], heldByTests()))
