// The figures of a run over derived servers, and their place in docs/mutants.md.
import { expect, test } from 'vitest'
import { figuresIn, figuresOf, renderWrong, withFigures } from './derived-figures.ts'
import type { Mutant } from './mutant.ts'
import type { MutantOutcome, MutantVerdict } from './verdict.ts'

function verdict(
  outcome: MutantOutcome,
  field: string,
  where: string,
  kind: Mutant['kind'] = 'fault',
): MutantVerdict {
  const parts = { field, operator: 'dropped', where }
  const common = { id: `derived-${where}`, description: '', flags: [], parts }
  const mutant: Mutant =
    kind === 'fault'
      ? { ...common, kind, requirement: 'WIRE-3', alsoBreaks: [], alone: false }
      : { ...common, kind, tolerances: ['WIRE-3'], leavesUnmet: [], keyless: false }
  return { mutant, outcome, red: [], wrong: [] }
}

const verdicts = [
  verdict('caught', 'chunk usage', 'always'),
  verdict('missed', 'chunk usage', 'cut'),
  verdict('missed', 'chunk usage', 'late'),
  verdict('no case', 'completion id', 'always'),
  verdict('blamed', 'completion id', 'cut'),
  verdict('green', 'request user', 'plain', 'oddity'),
  verdict('red', 'request user', 'streamed', 'oddity'),
]

test('every server counts once', () => {
  const figures = figuresOf(verdicts)
  expect(figures).toEqual({ caught: 1, notCaught: 3, equivalent: 1, wronglyBlamed: 2 })
  expect(Object.values(figures).reduce((sum, count) => sum + count)).toBe(verdicts.length)
})

test('wrong verdicts are grouped by field and operator, with their places on one line', () => {
  const lines = renderWrong(verdicts).split('\n')
  expect(lines).toHaveLength(4)
  expect(lines.find((line) => line.includes('chunk usage × dropped'))).toMatch(/: cut, late$/)
})

test('new figures take the place of the old ones, and the text before them stays', () => {
  const run = { seed: 1, of: 100, runs: 3 }
  const page = withFigures(`# Page\n\n${figuresIn('')}`, verdicts, run)
  expect(page).toMatch(/^# Page\n\n<!--/)
  expect(page).toContain('| dropped | 1 / 2 / 0 / 0 | 0 / 1 / 0 / 1 | 0 / 0 / 1 / 1 | 1 / 3 / 1 / 2 |')
  expect(withFigures(page, verdicts, run)).toBe(page)
  expect(page.endsWith(figuresIn(page))).toBe(true)
})

test('the figures say how many of all servers were judged, and the command that judges them again', () => {
  const shown = (of: number): string => withFigures(figuresIn(''), verdicts, { seed: 9, of, runs: 3 })
  expect(shown(100)).toContain('7 of 100 derived servers: **1 caught, 3 not caught')
  expect(shown(100)).toContain('mutants --derived --sample 7 --seed 9 --runs 3\n')
  expect(shown(7)).toContain('mutants --derived --seed 9 --runs 3\n')
})
