// A recipe is installed, started and judged, and every process has ended afterwards, whatever ended the run.
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../../harness/temporary-folder.fixture.ts'
import { entryOf } from '../complete-report.fixture.ts'
import { missingCommands } from './recipe.ts'
import { differencesOf } from './reproduce.ts'

const root = join(import.meta.dirname, '..', '..', '..', '..')

const RECIPE = {
  kind: 'server',
  title: 'Tiny',
  home: 'https://github.com/example/tiny',
  versions: ['1.9.0', '1.10.0'],
  needs: ['sh'],
  profile: 'wire',
  flags: ['--timeout', '1'],
  readySeconds: 20,
  setup: 'A server that answers nothing but errors.',
}

/** A server that records its process id, and leaves a child that ignores SIGTERM. */
const START = `#!/bin/sh
echo $$ >pids
sh -c 'trap "" TERM; echo $$ >>pids; while :; do sleep 1; done' &
exec node -e 'require("http").createServer((_, a) => a.writeHead(500).end()).listen(process.env.PORT, "127.0.0.1")'
`

interface Run {
  readonly ended: Promise<{ readonly code: number | null; readonly printed: string }>
  readonly folder: string
  readonly interrupt: () => void
}

/** Starts `npm run results -- reproduce tiny` with a recipe of these scripts. */
function reproduceTiny(recipe: object, scripts: Readonly<Record<string, string>>): Run {
  const folder = temporaryFolder()
  const own = join(folder, 'recipes', 'tiny')
  mkdirSync(own, { recursive: true })
  writeFileSync(join(own, 'recipe.json'), JSON.stringify({ ...RECIPE, ...recipe }))
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(own, name), text)
    chmodSync(join(own, name), 0o755)
  }
  const words = ['reproduce', 'tiny', '--folder', folder, '--recipes', join(folder, 'recipes')]
  const child = spawn(
    process.execPath,
    [join(root, 'conformance/record/results/results-command.ts'), ...words],
    {
      cwd: root,
    },
  )
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text))
  return {
    folder: join(folder, '.installed', 'tiny-1.10.0'),
    ended: new Promise((resolve) => child.once('close', (code) => resolve({ code, printed }))),
    interrupt: () => void child.kill('SIGINT'),
  }
}

async function pidsOf(folder: string): Promise<readonly number[]> {
  const file = join(folder, 'pids')
  for (;;) {
    const pids = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []
    if (pids.length === 2) return pids
    await sleep(50)
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A process that ended and that its parent has not read yet is no longer running.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}

async function expectEnded(pids: readonly number[]): Promise<void> {
  await expect.poll(() => pids.filter(isAlive)).toEqual([])
}

test('SIGINT ends every process of the recipe, also a child that ignores SIGTERM', async () => {
  const run = reproduceTiny(
    {},
    { 'install.sh': '#!/bin/sh\necho "$VERSION" >installed\n', 'start.sh': START },
  )
  const pids = await pidsOf(run.folder)
  expect(pids.filter(isAlive)).toEqual(pids)
  run.interrupt()
  const { code, printed } = await run.ended
  expect(printed).toContain('interrupted')
  expect(code).toBe(130)
  await expectEnded(pids)
  expect(readFileSync(join(run.folder, 'installed'), 'utf8')).toBe('1.10.0\n')
})

test.each([
  [
    'needs a command that is not there',
    { needs: ['sh', 'no-such-command'] },
    {},
    /tiny needs no-such-command, which this machine lacks/,
  ],
  [
    'cannot be installed',
    {},
    { 'install.sh': '#!/bin/sh\necho no such version >&2\nexit 7\n' },
    /install\.sh ended with 7: no such version/,
  ],
  [
    'ends at its start',
    {},
    { 'start.sh': '#!/bin/sh\necho bad flag\nexit 3\n' },
    /the server ended with 3: bad flag/,
  ],
  [
    'does not listen',
    { readySeconds: 1 },
    { 'start.sh': '#!/bin/sh\nexec sleep 60\n' },
    /did not answer within 1 s/,
  ],
])(
  'a recipe that %s says so in one line, with exit 2',
  { tags: 'slow' },
  async (_, recipe, scripts, line) => {
    const { code, printed } = await reproduceTiny(recipe, scripts).ended
    expect(printed).toMatch(line)
    expect(
      printed
        .trimEnd()
        .split('\n')
        .filter((each) => each.startsWith('results: ')),
    ).toHaveLength(1)
    expect(code).toBe(2)
  },
)

test('differences are shown in both directions', () => {
  const server = { kind: 'server', profile: 'wire' } as const
  const one = entryOf(server, { 'chat.missing-model': 'fail' })
  const other = entryOf(server, { 'chat.any-json': 'fail' })
  expect(differencesOf(one, other)).toEqual([
    { check: 'chat.any-json', published: 'pass', now: 'fail' },
    { check: 'chat.missing-model', published: 'fail', now: 'pass' },
  ])
  expect(differencesOf(one, one)).toEqual([])
})

test('commands are searched on the PATH', () => {
  expect(missingCommands({ needs: ['sh', 'no-such-command'] })).toEqual(['no-such-command'])
  expect(missingCommands({ needs: ['sh'] }, '/nowhere')).toEqual(['sh'])
})
