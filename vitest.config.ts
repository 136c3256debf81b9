import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { SummaryReporter } from './harness/testing/summary-reporter.fixture.ts'
import { isSkipped, type Tool, TOOLS } from './harness/testing/tools.fixture.ts'

// Every process that a test starts reads the same TypeScript: stripped and compiled once, it starts in half the time.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled')

/** Tests of processor time and memory: each file has its own worker. */
const ISOLATED = ['server/chat/turn-length.test.ts', 'server/engines/idle-memory.test.ts']

/**
 * The files that take longest, longest first. They start first, so that at the end no worker is busy alone. Other files
 * follow by their size.
 */
const LONGEST = [
  'conformance/record/site/browser.test.ts',
  'conformance/lab/mutants/unread-answers.test.ts',
  'loadtest/clock/clock.test.ts',
  'conformance/subjects/live-and-recorded.test.ts',
  'conformance/subjects/blame-through-gateway.test.ts',
  'deploy/judge-under-fire.test.ts',
  'conformance/bundle/replay.test.ts',
  'conformance/subjects/server/run/hostile-service.test.ts',
  'conformance/bundle/other-subjects.test.ts',
  'conformance/lab/mutants/kill-table.test.ts',
  'conformance/lab/fuzz/fuzz.test.ts',
  'deploy/cluster.test.ts',
  'conformance/cli/packed.test.ts',
  'server/dashboard/dashboard-in-browser.test.ts',
  'conformance/record/results/check-bundles.test.ts',
  'server/engines/llama/answer/prefix-cache.test.ts',
  'conformance/cli/cost.test.ts',
  'conformance/subjects/client/judge.test.ts',
  'conformance/cli/self-start.test.ts',
  'server/engines/constrained/sandbox/sandbox.test.ts',
  'conformance/one-cause.test.ts',
  'conformance/deployments.test.ts',
  'conformance/cli/cli.test.ts',
  'server/main.test.ts',
  'conformance/cli/gateway-command.test.ts',
  'conformance/subjects/server/cases/chat/chat.test.ts',
  'conformance/cli/slow-model.test.ts',
  'server/engines/llama/process/lifecycle.test.ts',
  'conformance/subjects/server/cases/streaming/streaming.test.ts',
]

/** Whether this is `npm test`, which tries a third of the values of each property too. */
const isSample = process.argv.some((word) => word.includes('!slow'))

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONGEST.findIndex((file) => moduleId.endsWith(file))
      return at < 0 ? LONGEST.length : at
    }
    const sorted = await super.sort([...files])
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        // Files share workers, which load each module once.
        test: {
          name: 'shared',
          include: ['{spec,server,harness,conformance,fixtures,puppets,loadtest,deploy}/**/*.test.ts'],
          exclude: [...ISOLATED, '**/node_modules/**'],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'isolated', include: ISOLATED } },
    ],
    sequence: { sequencer: LongestFirst },
    tags: [
      { name: 'slow', description: 'Left out by npm test, which runs a sample of the same.' },
      {
        name: 'alone',
        description:
          'Of loadtest, and measures time: npm run test:all runs it after all others, with the machine to itself.',
      },
      ...TOOLS.map(tagOf),
    ],
    env: isSample ? { PROPERTY_SHARE: '0.33' } : {},
    reporters: ['default', new SummaryReporter()],
    setupFiles: process.env['FC_SEED'] === undefined ? [] : ['harness/testing/repeat-property.fixture.ts'],
    // Real servers and real inference run in these tests, which wait about as much as they work: three at a time keep
    // two cores busy, and leave the clocks of the load tests in peace.
    maxWorkers: 3,
    // Bounds for a hang, not for speed: a busy machine takes several times as long as an idle one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
  },
})

function tagOf(tool: Tool) {
  const { name, get } = tool
  const tag = { name, description: `Needs ${name}: ${get}.` }
  // One missing tool of several is enough: `skip: false` of another tag would run the test.
  return isSkipped(tool) ? { ...tag, skip: true } : tag
}
