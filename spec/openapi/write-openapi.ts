// Writes openapi.json, the committed form of the document (`npm run openapi`).
import { writeFileSync } from 'node:fs'
import { createOpenApiDocument } from './openapi.ts'

const file = new URL('../../openapi.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(createOpenApiDocument(), null, 2)}\n`)
