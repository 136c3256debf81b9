// Writes docs/traceability.md (`npm run traceability`).
import { writeFileSync } from 'node:fs'
import { fullCatalogue } from './full-catalogue.ts'
import { allChecks } from '../clients/scenarios.ts'
import { allChecks as gatewayChecks } from '../gateways/selection.ts'
import { heldByTests } from './held-by-tests.ts'
import { renderTraceability } from './traceability.ts'

const file = new URL('../../docs/traceability.md', import.meta.url)
writeFileSync(file, renderTraceability(fullCatalogue(), heldByTests(), [...allChecks(), ...gatewayChecks()]))
