// Compiles llama.cpp from the source that node-llama-cpp carries, for the processor of this machine: `npm run
// llama:build`. The server then uses the result in place of the slower prebuilt library. The result is tried on each
// type of weights before it is reported as usable.
import { isLlamaInstalled } from '../llama.ts'
import { BUILD_OPTIONS } from '../child/native-llama.ts'
import { tryBuild } from './try-build.ts'

if (!isLlamaInstalled()) fail('node-llama-cpp is not installed: run npm ci without --omit=optional')
try {
  const { getLlama, LlamaLogLevel } = await import('node-llama-cpp')
  const started = performance.now()
  const llama = await getLlama({
    gpu: false,
    build: 'forceRebuild',
    cmakeOptions: BUILD_OPTIONS,
    logLevel: LlamaLogLevel.warn,
  })
  console.log(
    `llama.cpp ${llama.llamaCppRelease.release} is compiled for this processor, in ${Math.round((performance.now() - started) / 1000)} s`,
  )
  await llama.dispose()
  const failed = tryBuild()
  if (failed.length > 0)
    fail(
      `it does not run with every type of weights; the server falls back to the prebuilt library for\n  ${failed.join('\n  ')}`,
    )
} catch (error) {
  fail(
    `llama.cpp could not be compiled (cmake and a C++ compiler are needed): ${error instanceof Error ? error.message : String(error)}`,
  )
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
