// Writes the files of a puppet: the model in both formats, the file that makes it a model of Ollama, and its description.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildPuppet } from './build-puppet.ts'
import type { Family } from './family.ts'
import type { Templates } from './templates.ts'
import { createVocabulary } from './tokens.ts'
import { buildWeights } from './weights.ts'
import { encodeGgufPuppet } from './write-gguf.ts'
import { writeHuggingFace } from './write-hugging-face.ts'

/** Writes all files of a family's puppet into a folder that exists, and returns what the command reports. */
export function writePuppet(family: Family, templates: Templates, folder: string) {
  const built = buildPuppet(family)
  const vocabulary = createVocabulary(built)
  const weights = buildWeights(vocabulary.tokens.length, vocabulary.steps, vocabulary.names)
  const chatTemplate = templates(family.template)
  const { model, scripts } = built.puppet
  const gguf = encodeGgufPuppet(built, vocabulary, weights, chatTemplate)
  writeFileSync(join(folder, `${model}.gguf`), gguf)
  writeHuggingFace(built, vocabulary, weights, chatTemplate, join(folder, model))
  writeFileSync(join(folder, `${model}.Modelfile`), `FROM ./${model}.gguf\nPARAMETER num_ctx 8192\n`)
  writeFileSync(join(folder, `${model}.json`), `${JSON.stringify(built.puppet, undefined, 2)}\n`)
  return { model, scripts: scripts.length, bytes: gguf.length }
}
