import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{spec,server,conformance,fixtures,loadtest,deploy}/**/*.test.ts'],
    // Real servers and real inference run in these tests: two at a time keeps a small machine honest.
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
