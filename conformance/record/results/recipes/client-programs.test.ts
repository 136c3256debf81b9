// The programs of client libraries that a recipe judges are what a newcomer would write.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readRecipe, recipeNames } from './recipe.ts'

const MOST_LINES = 100

const programs = join(import.meta.dirname, '..', '..', '..', '..', 'fixtures', 'clients')
const folders = globSync('*/', { cwd: programs }).filter((name) => !/^(node_modules|\..*)$/.test(name))

test('a recipe judges the program of each client library', () => {
  const clients = new Set(recipeNames().filter((name) => readRecipe(name).kind === 'client'))
  expect(folders.length).toBeGreaterThanOrEqual(12)
  expect(folders.filter((name) => !clients.has(name))).toEqual([])
})

test.each(folders)('%s: its program is short', (name) => {
  const sources = globSync(`${name}/**/*.{mjs,py,go,rs,java}`, { cwd: programs })
  expect(sources).not.toEqual([])
  const lines = (file: string): number => readFileSync(join(programs, file), 'utf8').split('\n').length - 1
  expect(sources.filter((file) => lines(file) > MOST_LINES)).toEqual([])
})
