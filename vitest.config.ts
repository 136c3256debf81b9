import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { SummaryReporter } from './harness/testing/summary-reporter.fixture.ts'
import { isSkipped, type Tool, TOOLS } from './harness/testing/tools.fixture.ts'

// Every process that a test starts reads the same TypeScript: stripped and compiled once, it starts in half the time.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules', '.cache', 'compiled')

export default defineConfig({
  test: {
    include: ['{spec,server,harness,conformance,fixtures,loadtest,deploy}/**/*.test.ts'],
    tags: [
      { name: 'slow', description: 'Left out by npm test, which runs a sample of the same.' },
      ...TOOLS.map(tagOf),
    ],
    reporters: ['default', new SummaryReporter()],
    setupFiles: process.env['FC_SEED'] === undefined ? [] : ['harness/testing/repeat-property.fixture.ts'],
    // Real servers and real inference run in these tests: two at a time keeps a small machine honest.
    maxWorkers: 2,
    // Bounds for a hang, not for speed: a busy machine takes several times as long as an idle one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})

function tagOf(tool: Tool) {
  const { name, get } = tool
  const tag = { name, description: `Needs ${name}: ${get}.` }
  // One missing tool of several is enough: `skip: false` of another tag would run the test.
  return isSkipped(tool) ? { ...tag, skip: true } : tag
}
