import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['{spec,server,harness,conformance,fixtures,loadtest,deploy}/**/*.test.ts'],
    // Real servers and real inference run in these tests: two at a time keeps a small machine honest.
    maxWorkers: 2,
    // Bounds for a hang, not for speed: a busy machine takes several times as long as an idle one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
