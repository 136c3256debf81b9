// `npx node harness/prose/lint.ts [PATH...]`: reports banned phrases in files that git tracks; exit code 1 if it finds one.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { findBannedPhrases, findCounts } from './find-banned-phrases.ts'

const PROSE = /\.(ts|tsx|js|mjs|md|py|sh|go|rs|java|kt|rb|yaml|yml|conf)$|^\.ci\/run$/

/** Documents without generated counts. */
const DOCUMENT = /^(README|CONTRIBUTING|docs\/(?!mutants|traceability)[\w-]+|results\/README)\.md$/

const SKIPPED = /^harness\/prose\//

const listed = execFileSync('git', ['ls-files', '-z', '--', ...process.argv.slice(2)], { encoding: 'utf8' })
const files = listed.split('\0').filter((path) => PROSE.test(path) && !SKIPPED.test(path))

let found = 0
for (const file of files) {
  const content = readFileSync(file, 'utf8')
  const counts = DOCUMENT.test(file) ? findCounts(content) : []
  for (const { line, text, instead } of [...findBannedPhrases(content), ...counts]) {
    console.log(`${file}:${line}: "${text}": write ${instead}`)
    found += 1
  }
}
if (found > 0) {
  console.error(`${found} banned phrases; harness/prose/banned-phrases.ts lists them all.`)
  process.exitCode = 1
}
