// Which tests of this project say in their titles that they hold a row: the rows that judge no server have no check.
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type RequirementId, requirements } from '../../../spec/catalogue/requirements.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const AREAS = ['spec', 'server', 'harness', 'conformance', 'fixtures', 'puppets', 'loadtest']

/** The test files whose titles name each row, by their paths in the repository, in order. Reads the repository. */
export function heldByTests(): ReadonlyMap<RequirementId, readonly string[]> {
  const titles = AREAS.flatMap(testFiles).map((file) => ({
    file,
    ids: idsIn(readFileSync(root + file, 'utf8')),
  }))
  return new Map(
    requirements.map(({ id }) => [id, titles.filter(({ ids }) => ids.has(id)).map(({ file }) => file)]),
  )
}

function testFiles(area: string): readonly string[] {
  return globSync(`${area}/**/*.test.ts`, { cwd: root, exclude: ['**/node_modules'] })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
}

/** The rows that titles of tests name in this source, `RETRY-1 to RETRY-3` being three of them. */
export function idsIn(source: string): ReadonlySet<RequirementId> {
  const titles = [...source.matchAll(/\b(?:test|it|describe)\(\s*(['"`])(.*?)\1,/gs)].map(
    ([, , title]) => title,
  )
  const named = [...titles.join('\n').matchAll(/\b([A-Z]+)-(\d+)(?: to \1-(\d+))?\b/g)]
  const inTitle = ({ id }: { id: RequirementId }): boolean =>
    named.some(([, section, first, last = first]) => {
      const number = Number(id.slice(id.lastIndexOf('-') + 1))
      return id.startsWith(`${section}-`) && Number(first) <= number && number <= Number(last)
    })
  return new Set(requirements.filter(inTitle).map(({ id }) => id))
}
