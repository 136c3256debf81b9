// `npm run set -- 2027-06` writes the set of this date: all checks of the present catalogue. A set that exists is published,
// and never written again.
import { writeFileSync } from 'node:fs'
import { loadSubjects } from '../../subjects/index.ts'

const [date = ''] = process.argv.slice(2)
if (!/^\d{4}-(?:0[1-9]|1[0-2])$/.test(date)) fail(`expected the date of the set, as 2027-06, got '${date}'`)
else {
  const subjects = await loadSubjects()
  const set = subjects.map(({ name, checks }) => [name, checks.map(({ id }) => id).toSorted()])
  const file = new URL(`../../contract/sets/${date}.json`, import.meta.url)
  try {
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(set), undefined, 1)}\n`, { flag: 'wx' })
  } catch (error) {
    if (Object(error).code !== 'EEXIST') throw error
    fail(`the set ${date} exists`)
  }
}

function fail(line: string): void {
  process.stderr.write(`set: ${line}\n`)
  process.exitCode = 2
}
