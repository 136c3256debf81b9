// A prompt that is longer than the context, streamed (STREAM-10): its length is known before the first token.
import { type Case, type CaseContext, check } from '../../case.ts'
import { status } from '../../../../../harness/verify/verify.ts'
import { plainError } from '../streaming/stream-errors.ts'
import { chatWithHistory } from '../tools/history.ts'
import { LONGEST_MS, LONG_WORDS, QUICK_WORDS, longMessage } from './conversations.ts'

/** A prompt that is longer than the context is refused streamed as it is plain. It is as long as the time allows. */
async function overflow(t: CaseContext): Promise<void> {
  for (const words of (t.quick ? QUICK_WORDS : LONG_WORDS).slice(1)) {
    const began = t.now()
    const messages = longMessage(words)
    const plain = await chatWithHistory(t, { messages })
    const tookMs = t.now() - began
    if (plain.response.status === 400 || plain.response.status === 413) {
      const streamed = await t.chat({ messages, stream: true })
      return t.expect(streamed, status(plain.response.status), plainError)
    }
    if (tookMs > LONGEST_MS) break
  }
  t.notApplicable('no prompt was longer than the context')
}

export const overflowCases: readonly Case[] = [
  check(
    'stream.error-context',
    'STREAM-10',
    'a prompt that is longer than the context, with `stream: true`',
  ).run(overflow),
]
