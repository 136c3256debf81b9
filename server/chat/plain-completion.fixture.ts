// The plain answer of some deltas, as its client parses it.
import { type ChatCompletion, chatCompletion } from '../../spec/schemas/response.ts'
import type { DeltaSource } from '../engines/engine.ts'
import { type AnswerHead, foldCompletion } from './plain-completion.ts'

/** The text of the JSON. */
export async function completionJson(deltas: DeltaSource, head: AnswerHead, n: number): Promise<string> {
  const { parts } = await foldCompletion(deltas, head, n, () => {})
  return Buffer.concat(parts.map((part) => Buffer.from(part))).toString()
}

export async function completionOf(...answer: Parameters<typeof completionJson>): Promise<ChatCompletion> {
  return chatCompletion.parse(JSON.parse(await completionJson(...answer)))
}
