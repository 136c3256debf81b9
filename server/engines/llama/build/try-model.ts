// Loads a model and generates a few tokens, with the library that was compiled here: `node try-model.ts FILE`. An
// instruction that this processor lacks ends only this process.
import { BUILD_OPTIONS } from '../child/native-llama.ts'

/** A prompt of some tokens, which covers both ways to multiply: many rows at once, then one at a time. */
const PROMPT = 'a prompt of some tokens'
const TOKENS = 3

const [path = '', which] = process.argv.slice(2)
const { getLlama, LlamaLogLevel } = await import('node-llama-cpp')
const llama = await getLlama({
  gpu: false,
  build: 'never',
  cmakeOptions: which === 'prebuilt' ? {} : BUILD_OPTIONS,
  skipDownload: true,
  progressLogs: false,
  logLevel: LlamaLogLevel.error,
})
const model = await llama.loadModel({ modelPath: path })
const context = await model.createContext({ contextSize: 64 })
let said = 0
for await (const token of context.getSequence().evaluate(model.tokenize(PROMPT), { temperature: 0 })) {
  said += 1
  if (said === TOKENS || token === undefined) break
}
await llama.dispose()
