// A file of prompts is read whole, and an error in it names the line and the member.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../harness/temporary-folder.fixture.ts'
import { readOptions } from './loadtest-options.ts'

const folder = temporaryFolder()

function prompts(text: string, ...more: string[]) {
  const file = join(folder, 'prompts.jsonl')
  writeFileSync(file, text)
  return readOptions(['latency', '--prompts', file, ...more]).prompts
}

it('takes a text or messages, and skips empty lines', () => {
  const messages = [{ role: 'system', content: 'Be brief.' }]
  const lines = ['{"prompt":"Hello","max_tokens":5}', '', JSON.stringify({ messages })]
  expect(prompts(lines.join('\r\n'))).toEqual([
    { messages: [{ role: 'user', content: 'Hello' }], maxTokens: 5 },
    { messages },
  ])
})

it.each([
  ['', /prompts\.jsonl has no prompt$/],
  ['{"prompt":"a"}\n[]', /line 2: expected a JSON object$/],
  ['{"prompt":5}', /line 1: expected 'prompt', a string, or 'messages'/],
  ['{"messages":[]}', /line 1: expected 'prompt'/],
  ['{"prompt":"a","messages":[{}]}', /line 1: expected 'prompt'/],
  ['{"prompt":"a","max_tokens":0}', /line 1: 'max_tokens': expected a whole number above 0/],
])('refuses %j', (text, message) => {
  expect(() => prompts(text)).toThrow(message)
})

it('goes without the flags of generated prompts', () => {
  for (const flag of ['--prompt-tokens', '--shared-prefix'])
    expect(() => prompts('{"prompt":"a"}', flag, '8')).toThrow(`${flag}: expected no --prompts`)
})
