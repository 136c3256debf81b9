// Writes docs/traceability.md (`npm run traceability`).
import { writeFileSync } from 'node:fs'
import { fullCatalogue } from '../../subjects/server/catalogue.ts'
import { allChecks } from '../../subjects/client/catalogue.ts'
import { allChecks as gatewayChecks } from '../../subjects/gateway/catalogue.ts'
import { heldByTests } from './held-by-tests.ts'
import { renderTraceability } from './traceability.ts'

const file = new URL('../../../docs/traceability.md', import.meta.url)
writeFileSync(file, renderTraceability(fullCatalogue(), heldByTests(), [...allChecks(), ...gatewayChecks()]))
