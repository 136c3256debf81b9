import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { SummaryReporter } from './harness/testing/summary-reporter.fixture.ts'
import { isSkipped, type Tool, TOOLS } from './harness/testing/tools.fixture.ts'

// Every process that a test starts reads the same TypeScript: stripped and compiled once, it starts in half the time.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled')

/** Tests that start no process and leave no state behind: their files share workers, which halves their time. */
const SHARED = [
  'spec/**/*.test.ts',
  'conformance/{cases,catalogue,compare,generate,runner,target,verdict}/**/*.test.ts',
  'server/{chat,config}/**/*.test.ts',
  'server/engines/constrained/*.test.ts',
  'server/engines/constrained/{grammar,schema}/*.test.ts',
  'server/engines/text/**/*.test.ts',
  'loadtest/{judges,theory}/**/*.test.ts',
  'harness/{html,http,verify}/**/*.test.ts',
  'server/dashboard/{pages,routes,session}/**/*.test.ts',
  'server/docs/**/*.test.ts',
  'server/engines/echo/**/*.test.ts',
  'server/engines/llama/child/**/*.test.ts',
  'conformance/clients/verify/**/*.test.ts',
]

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'shared', include: SHARED, isolate: false } },
      {
        extends: true,
        test: {
          name: 'isolated',
          include: ['{spec,server,harness,conformance,fixtures,loadtest,deploy}/**/*.test.ts'],
          exclude: [...SHARED, '**/node_modules/**'],
        },
      },
    ],
    tags: [
      { name: 'slow', description: 'Left out by npm test, which runs a sample of the same.' },
      {
        name: 'alone',
        description:
          'Of loadtest, and measures time: npm run test:all runs it after all others, with the machine to itself.',
      },
      ...TOOLS.map(tagOf),
    ],
    reporters: ['default', new SummaryReporter()],
    setupFiles: process.env['FC_SEED'] === undefined ? [] : ['harness/testing/repeat-property.fixture.ts'],
    // Real servers and real inference run in these tests, which wait about as much as they work: three at a time keep
    // two cores busy, and a small machine honest.
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
