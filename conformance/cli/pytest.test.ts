// The program of docs/pytest.md runs as it is shown: a test for each requirement, whose message is the finding.
import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { KEY, startService } from './cli.fixture.ts'
import { readReport } from '../report/report.fixture.ts'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'

const root = join(import.meta.dirname, '..', '..')
const [, program = ''] =
  /^```python\n(.+?)^```$/ms.exec(readFileSync(join(root, 'docs', 'pytest.md'), 'utf8')) ?? []

/** Runs pytest before this service, in an empty folder. */
function runPytest(folder: string, url: string): Promise<{ code: number | null; stdout: string }> {
  writeFileSync(join(folder, 'test_conformance.py'), program)
  const { PATH = '', HOME = '' } = process.env
  const TOUCHSTONE = `${process.execPath} ${join(root, 'touchstone.js')}`
  const env = { PATH, HOME, TOUCHSTONE, SERVICE_URL: url, CONFORMANCE_API_KEY: KEY }
  return new Promise((resolve) => {
    const child = execFile('pytest', ['-q', '-p', 'no:cacheprovider'], { cwd: folder, env }, (_, stdout) =>
      resolve({ code: child.exitCode, stdout }),
    )
  })
}

test(
  'pytest has a test for each requirement, and a failure shows the finding',
  { tags: 'pytest' },
  async () => {
    await using service = await startService()
    const folder = temporaryFolder()
    const { code, stdout } = await runPytest(folder, service.baseUrl)
    expect({ code, stdout }).toMatchObject({ code: 1 })
    const report = readReport(join(folder, 'conformance.json'))
    const count = (...outcomes: readonly string[]): number =>
      report.requirements.filter(({ outcome }) => outcomes.includes(outcome)).length
    const [, failed, passed, skipped] = /(\d+) failed, (\d+) passed, (\d+) skipped/.exec(stdout) ?? []
    expect([failed, passed, skipped].map(Number)).toEqual([
      count('fail'),
      count('pass', 'warn'),
      count('inconclusive', 'not-applicable'),
    ])
    const finding = report.checks.find(({ outcome }) => outcome === 'fail')
    expect(stdout).toContain(`${finding?.title}`)
    expect(stdout).toContain('curl -sS')
  },
)

test(
  'pytest ends with the message of the judge if the service is not reached',
  { tags: 'pytest' },
  async () => {
    const { code, stdout } = await runPytest(temporaryFolder(), 'http://127.0.0.1:9')
    expect(code).toBe(2)
    expect(stdout).toContain('http://127.0.0.1:9 cannot be judged')
  },
)
