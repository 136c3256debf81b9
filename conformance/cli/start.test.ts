// A command loads what it needs, so that the judge starts at once: the modules of the checks, and the packages with which they
// judge, are hundreds.
import { execFile } from 'node:child_process'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')
const cli = join(import.meta.dirname, '..', 'cli.js')

/** Prints the address of each loaded file on the error output. */
const PRINTING_FILES = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module'
  const files = []
  registerHooks({ load(url, context, next) { if (url.startsWith('file:')) files.push(url); return next(url, context) } })
  process.on('exit', () => process.stderr.write(files.join('\\n')))
`)}`

async function filesOf(...args: readonly string[]): Promise<readonly string[]> {
  const { stderr } = await promisify(execFile)(process.execPath, ['--import', PRINTING_FILES, cli, ...args])
  const files = stderr.split('\n').map((url) => relative(root, fileURLToPath(url)))
  // The sections of the catalogue are its data, and count as the one file that joins them.
  return files.filter((file) => !file.startsWith('spec/catalogue/sections/'))
}

/** Parts that only a run needs: checks and scenarios, judging, pages, and the start of a server. */
const OF_RUNS =
  /\/(?:cases|scenarios|judge)(?:\/|\.ts$)|^harness\/(?:html|http\/(?:transport|send-once))|^conformance\/(?:run-|report\/html)|reference-server/

test.each([
  [['--help'], 60],
  [['list'], 80],
  [['run', '--plan'], 80],
  [['explain', 'AUTH-3'], 80],
  [['explain', 'gate.request-messages'], 80],
  [['compare', '--help'], 60],
])('%j loads no check and at most %i files', async (args, most) => {
  const files = await filesOf(...args)
  expect(files.filter((file) => OF_RUNS.test(file))).toEqual([])
  const packages = files.flatMap((file) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? [])
  expect([...new Set(packages)]).toEqual(['commander'])
  expect(files.length).toBeLessThanOrEqual(most)
})
