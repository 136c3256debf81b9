// Writes tables of flags into pages (`npm run flags`): `node write-flags.ts PAGE MODULE [PAGE MODULE …]`.
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Flags, withFlagTable } from './flags.ts'

const words = process.argv.slice(2)
for (const [index, page] of words.entries()) {
  if (index % 2 === 1) continue
  const module: { readonly FLAGS: Flags } = await import(resolve(words[index + 1] ?? ''))
  writeFileSync(page, withFlagTable(readFileSync(page, 'utf8'), module.FLAGS))
}
