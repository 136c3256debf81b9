// Writes the table of the fuzzer's flags in docs/operations.md (`npm run flags`).
import { readFileSync, writeFileSync } from 'node:fs'
import { withFlagTable } from '../../harness/cli/flags.ts'
import { FLAGS } from './flags.ts'

const page = new URL('../../docs/operations.md', import.meta.url)
writeFileSync(page, withFlagTable(readFileSync(page, 'utf8'), FLAGS))
