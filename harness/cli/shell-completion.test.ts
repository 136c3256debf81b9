import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { temporaryFolder } from '../temporary-folder.fixture.ts'
import type { ProgramSpec } from './command-line.ts'
import { printCompletions, printScript } from './shell-completion.ts'
import { notEmpty } from './flag-values.ts'

const folder = temporaryFolder()
writeFileSync(join(folder, 'first.json'), '')
mkdirSync(join(folder, 'reports'))

const SPEC: ProgramSpec = {
  name: 'tool',
  flags: {
    profile: { usage: '--profile NAME', read: notEmpty, choices: ['service', 'wire'], about: 'Profile' },
    config: { usage: '--config FILE', read: notEmpty, about: 'File' },
    plan: { usage: '--plan', about: 'Plan', commands: ['run'] },
  },
  commands: [
    { name: 'run', about: 'Run', notes: '' },
    { name: 'compare', about: 'Compare', operands: '[reports...]', notes: '' },
    { name: 'complete', about: 'Complete', operands: '[shell]', choices: ['bash', 'zsh'], notes: '' },
  ],
}

/** The lines that an action prints. */
function printed(action: () => void): readonly string[] {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  action()
  const lines = log.mock.calls.map(([line]) => String(line))
  log.mockRestore()
  return lines
}

test.each([
  [['c'], ['compare', 'complete']],
  [['--p'], ['--profile', '--plan']],
  [['compare', '--p'], ['--profile']],
  [
    ['--profile', ''],
    ['service', 'wire'],
  ],
  [['--profile=w'], ['wire']],
  [['compare', `${folder}/fi`], [`${folder}/first.json`]],
  [
    ['--config', `${folder}/`],
    [`${folder}/first.json`, `${folder}/reports/`],
  ],
  [['--config', '/no/such/folder/'], []],
  [
    ['complete', ''],
    ['bash', 'zsh'],
  ],
])('completes %j', (words, expected) => {
  const lines = printed(() => printCompletions(SPEC, words))
  expect(lines.slice(0, -1).map((line) => line.split('\t')[0])).toEqual(expected)
})

test.each(['bash', 'zsh', 'fish'])('prints a script for %s that calls the program', (shell) => {
  expect(printed(() => printScript(shell, 'tool', 'node tool.js')).join()).toContain(
    'node tool.js complete -- ',
  )
})

test('refuses another shell in one line', () => {
  expect(() => printScript('tcsh', 'tool', 'tool')).toThrow(
    /^complete: expected bash, zsh, fish, received 'tcsh'$/,
  )
})
