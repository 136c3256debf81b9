// The first code of the executable, and of each of its processes and threads: starts a module by its path, as Node does, or the
// command that the first word names. The executable has the files of this repository below `/`, and nothing of them is on the disk.
import { PROGRAMS } from '../../harness/cli/programs.js'

/** The exit code of Node for a module whose top-level await never settles. */
const UNSETTLED = 13

const JUDGE = '/conformance/cli.js'

/** The modules that processes and threads are started with, and the programs beside the judge. */
const MODULES = {
  [JUDGE]: async () => (await import('../../conformance/cli/judge-command.ts')).judge(),
  '/conformance/verify-thread.js': () => import('../../conformance/verify-thread.ts'),
  '/conformance/subjects/client/service-process/serve-scenarios.js': () =>
    import('../../conformance/subjects/client/service-process/serve-scenarios.ts'),
  '/server/mock.js': async () =>
    (await import('../../server/start-mock.ts')).startMock(process.argv.slice(2)),
  '/server/main.js': async () => (await import('../../server/start.ts')).start(process.argv.slice(2)),
  '/server/dashboard/key-command.js': () => import('../../server/dashboard/key-command.ts'),
  '/server/engines/constrained/sandbox/sandbox-worker.js': () =>
    import('../../server/engines/constrained/sandbox/sandbox-worker.ts'),
}

void start(process.argv[2])

/** @param {string | undefined} word */
async function start(word = JUDGE) {
  const program = Object.hasOwn(PROGRAMS, word) ? PROGRAMS[word] : undefined
  const named = program === undefined ? word : `/${program.file.replace(/\.ts$/, '.js')}`
  const load = Object.hasOwn(MODULES, named) ? MODULES[named] : undefined
  if (word === 'mutants' || (program !== undefined && load === undefined)) {
    console.error(`touchstone: ${word} is not in the executable: use npx touchstone ${word}`)
    process.exitCode = 2
    return
  }
  if (load !== undefined) process.argv.splice(2, 1)
  process.argv[1] = load === undefined ? JUDGE : named
  const unsettled = () => (process.exitCode ??= UNSETTLED)
  process.on('exit', unsettled)
  try {
    await (load ?? MODULES[JUDGE])()
  } catch (error) {
    // The exit code is not 1, as Node sets it, because that is a verdict of the judge.
    console.error(error)
    process.exitCode = 2
  }
  process.off('exit', unsettled)
}
