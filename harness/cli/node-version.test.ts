// With an older Node each program ends with one line and exit code 2, before it loads a file that such a Node refuses.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }

const root = join(import.meta.dirname, '..', '..')
const PROGRAMS = ['conformance/cli.js', 'server/main.js', 'harness/cli/run.js']
const LINE =
  /^touchstone needs Node 24, received v\S+: npm scripts bring it: run npm ci, then npm run NAME\n$/

/** Makes a program believe that it runs on Node 20. */
const ON_NODE_20 = [
  '--import',
  'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.9.0"})',
]

const onNode20 = (...args: readonly string[]) =>
  spawnSync(process.execPath, [...ON_NODE_20, ...args], { cwd: root, encoding: 'utf8' })

test.each(PROGRAMS)('%s needs Node 24, and says so in one line', (program) => {
  const { status, stdout, stderr } = onNode20(program, 'loadtest/cli.ts')
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  expect(stderr).toMatch(LINE)
})

test('on macOS npm brings no Node, so the line says where there is one', () => {
  const macOs = 'data:text/javascript,Object.defineProperty(process,"platform",{value:"darwin"})'
  expect(onNode20('--import', macOs, 'conformance/cli.js').stderr).toMatch(
    /^touchstone needs Node 24, received v\S+: on the PATH: brew install node@24, or nodejs\.org\n$/,
  )
})

test.each(['api.js', 'client-api.js'])('the import of %s is an error of one line', (file) => {
  const program = `import('./conformance/${file}').catch(({ message }) => console.log(message))`
  expect(onNode20('--eval', program).stdout).toMatch(LINE)
})

describe('an older Node can load', () => {
  /** A file and the files that it imports before its first line runs. */
  function loaded(file: string): readonly string[] {
    const imports = readFileSync(join(root, file), 'utf8').matchAll(/^import .*?'(\.[^']+)'/gm)
    return [
      file,
      ...[...imports].flatMap(([, path = '']) => loaded(relative(root, join(root, dirname(file), path)))),
    ]
  }

  test.each([...PROGRAMS, 'conformance/api.js', 'conformance/client-api.js'])(
    '%s and its static imports',
    (file) => {
      const files = loaded(file)
      expect(files).toContain('harness/cli/node-version.js')
      expect(files.filter((path) => !path.endsWith('.js'))).toEqual([])
    },
  )
})

test('the npm scripts for users start this way', () => {
  const own = Object.entries(packageJson.scripts).filter(([, line]) =>
    /^node (?!.*\b(run|main|cli)\.js\b)/.test(line),
  )
  const forContributors = ['build', 'prepack', 'test:all']
  expect(own.map(([name]) => name).toSorted()).toEqual(forContributors)
})
