// A right load generator passes whatever the clock does, and one with a fault is found by the script that shows it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runProgram } from '../../fixtures/run-program.fixture.ts'
import { createRedactor } from '../../harness/secrets/redact.ts'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'
import type { FigureVerdict } from '../clock/judge-figures.ts'
import { renderConsole } from '../report/sheet-console.ts'
import { renderPage } from '../report/sheet-page.ts'
import { generatorSheet } from '../report/generator-sheet.ts'
import { QUESTIONS, judgeGenerator } from './judge-generator.ts'
import { readOptions } from './loadtest-options.ts'
import { TWIN_FAULTS, type TwinFault } from './twin-generator.fixture.ts'

const TWIN = join(import.meta.dirname, 'twin-generator.fixture.ts')
const ADAPTER = join(import.meta.dirname, 'twin.fixture.json')

/** A busy machine may delay any stream: the tolerances of a script leave room for it. */
const FLAGS = ['--tolerance-ms', '40', '--tolerance-percent', '25', '--requests', '24']

async function judge(
  scripts: string,
  fault: string,
  command: readonly string[] = twin(fault),
  adapter = ADAPTER,
) {
  const options = readOptions([
    'judge',
    '--figures',
    adapter,
    '--scripts',
    scripts,
    ...FLAGS,
    '--',
    ...command,
  ])
  return await judgeGenerator({
    options,
    env: process.env,
    redactor: createRedactor(),
    signal: AbortSignal.timeout(120_000),
  })
}

const twin = (fault: string): readonly string[] => [
  process.execPath,
  TWIN,
  '{base_url}',
  '{model}',
  '{requests}',
  '{concurrency}',
  fault,
]

const offIn = (figures: readonly FigureVerdict[]): readonly string[] =>
  figures.filter(({ found }) => found === 'off').map(({ script, figure }) => `${script} ${figure}`)

/** The figures in which each faulty generator is off, and no others. */
const SHOWN: Readonly<Record<TwinFault, readonly string[]>> = {
  'counts an error record in a stream as success': ['error-midway completed', 'error-midway failed'],
  'begins the first token after the thoughts': ['reasoning ttft'],
  'takes the first bytes for the first token': ['comment-early ttft'],
  'counts the tokens of an event as one': [
    'tokens-per-event tpot',
    'tokens-per-event tokens',
    'tokens-per-event tokensPerSecond',
  ],
  'reports the mean as p99': ['heavy-tail ttft'],
  'keeps half of its concurrency': ['even concurrency', 'even concurrency kept'],
  'leaves out failed requests': ['refusals requests', 'refusals failed'],
}

describe('judge', { timeout: 300_000 }, () => {
  it.each(TWIN_FAULTS)('finds a generator that %s', async (fault) => {
    const [script = ''] = (SHOWN[fault][0] ?? '').split(' ')
    const { figures, verdict } = await judge(script, fault)
    expect(offIn(figures)).toEqual(SHOWN[fault])
    expect(verdict).toBe('fail')
  })

  it('passes a right generator with every script that it asks about', { tags: ['slow'] }, async () => {
    const verdict = await judge(Object.keys(QUESTIONS).join(','), '')
    expect(offIn(verdict.figures)).toEqual([])
    expect(verdict).toMatchObject({ verdict: 'pass', valid: true })
  })

  it('accepts the second reading of a figure that the generator names, and says it', async () => {
    const folder = temporaryFolder()
    const fault = 'begins the first token after the thoughts'
    const judgeReading = async (reading?: string) => {
      const adapter = join(folder, `${reading}.json`)
      const figures = { ttft: { at: '/ttft/{}', reading } }
      writeFileSync(adapter, JSON.stringify({ title: 'Mine', statistics: { p50: 'p50' }, figures }))
      return (await judge('reasoning', fault, twin(fault), adapter)).figures[0]
    }
    expect(await judgeReading('content')).toMatchObject({ found: 'true', reading: 'content' })
    expect((await judgeReading())?.why).toMatch(/reading 'content', which it does not name/)
  })

  it('is not valid for a program that sends nothing, and its text stays text', async () => {
    const hostile = '<img src=x onerror=alert(1)>'
    const verdict = await judge('even', '', [
      process.execPath,
      '-e',
      `console.error(${JSON.stringify(hostile)})`,
    ])
    expect(verdict).toMatchObject({ verdict: 'invalid', valid: false })
    expect(verdict.invalid).toEqual([expect.stringMatching(/^even: it sent no request to the clock/)])
    const sheet = generatorSheet(verdict)
    expect(renderPage(sheet)).not.toContain(hostile)
    expect(renderConsole(sheet, { color: false, columns: 100 })).toMatch(
      /Not valid: even: it sent no request/,
    )
  })

  it.each([
    [['--figures', 'unknown'], /^loadtest: --figures: expected .*latency.* got 'unknown'\n$/],
    [['--figures', 'latency', '--scripts', 'evn'], /^loadtest: --scripts: expected names of .* got 'evn'\n$/],
    [[], /^loadtest: judge: --figures is needed[^\n]*\n$/],
  ])('refuses %j in one line', async (args, message) => {
    const { code, stderr } = await runProgram(['loadtest/cli.ts', 'judge', ...args])
    expect(stderr).toMatch(message)
    expect(code).toBe(2)
  })
})
