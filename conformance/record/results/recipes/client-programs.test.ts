// The programs of client libraries that the record judges are what a newcomer would write.
import { readFileSync, readdirSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from 'vitest'
import { readRecipe, recipeNames } from './recipe.ts'

const MOST_LINES = 60

const root = new URL('../../../../', import.meta.url)
const clients = recipeNames()
  .map((name) => readRecipe(name))
  .filter(({ kind }) => kind === 'client')

test('there is a recipe for each of the twelve client libraries', () => {
  expect(clients.length).toBeGreaterThanOrEqual(12)
})

test.each(clients)('$name: its program is short', ({ name }) => {
  const folder = new URL(`fixtures/clients/${name}/`, root)
  // `compatibility.*` tries a library against the server: no newcomer's program, and not judged here.
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.(mjs|py|go|rs|java)$/.test(file) && !basename(file).startsWith('compatibility.'),
  )
  expect(sources).not.toEqual([])
  const lines = (file: string): number => readFileSync(new URL(file, folder), 'utf8').split('\n').length - 1
  expect(sources.filter((file) => lines(file) > MOST_LINES)).toEqual([])
})
