// Writes the table of flags in docs/loadtest.md (`npm run flags`).
import { readFileSync, writeFileSync } from 'node:fs'
import { withFlagTable } from '../harness/cli/flags.ts'
import { FLAGS } from './flags.ts'

const page = new URL('../docs/loadtest.md', import.meta.url)
writeFileSync(page, withFlagTable(readFileSync(page, 'utf8'), FLAGS))
